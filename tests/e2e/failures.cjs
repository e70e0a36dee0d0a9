'use strict';
// What goes wrong leaves with its exit code and one message, and no output file behind.
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const circuit = 'bn128/poseidon2';
const key = t.vector(circuit, 'circuit.zkey');
const witness = t.vector(circuit, 'witness.wtns');

/** A copy of a file with `change` applied to its bytes; returns its path. */
function changed(file, name, change) {
  const copy = t.scratch('inputs', name);
  fs.writeFileSync(copy, change(fs.readFileSync(file)));
  return copy;
}

/** A witness file with bit 0 of value `index` flipped. */
function flipValue(bytes, index) {
  const header = 12;
  const section1 = 12 + 40;
  bytes[header + section1 + 12 + 32 * index] ^= 1;
  return bytes;
}

const cases = [
  // name, exit code, arguments before the outputs, arguments after them
  ['key cut short', 3, [changed(key, 'cut.zkey', (b) => b.subarray(0, b.length / 2)), witness]],
  ['witness cut short', 3, [key, changed(witness, 'cut.wtns', (b) => b.subarray(0, b.length - 1))]],
  ['key and witness exchanged', 3, [witness, key]],
  ['key is absent', 3, [t.scratch('inputs', 'absent.zkey'), witness]],
  ['witness of another circuit', 3, [key, t.vector('bn128/multipublic', 'witness.wtns')]],
  ['witness of another curve', 3, [key, t.vector('bls12381/poseidon2', 'witness.wtns')]],
  ['witness that violates a constraint', 1, [key, changed(witness, 'other.wtns', (b) => flipValue(b, 5))]],
  ['unknown option', 2, [key, witness], ['--no-such-option']],
  ['threads is no number', 2, [key, witness], ['--threads', 'many']],
  ['threads is zero', 2, [key, witness], ['--threads', '0']],
  ['unknown plugin', 4, [key, witness], ['--plugin', 'no-such-plugin']],
];

async function main() {
  for (const [index, [name, status, inputs, rest = []]] of cases.entries()) {
    await t.check(name, () => {
      const proof = t.scratch('outputs', `${index}`, 'proof.json');
      const folder = path.dirname(proof);
      const result = t.cuzkRun([...inputs, proof, path.join(folder, 'public.json'), ...rest]);
      t.expectExit(result, status);
      t.expect(result.stderr.trim() !== '', 'no message on stderr');
      const left = fs.readdirSync(folder);
      t.expect(left.length === 0, `left behind: ${left.join(', ')}`);
    });
  }
  await t.check('output folder is absent', () => {
    const result = t.cuzkRun([key, witness, t.scratch('outputs', 'absent') + '/proof.json', t.scratch('outputs', 'public.json')]);
    t.expect(result.status !== 0, 'exit code 0 though the proof could not be written');
    t.expect(!fs.existsSync(t.scratch('outputs', 'public.json')), 'public.json was left behind');
  });
  t.finish();
}

main();
