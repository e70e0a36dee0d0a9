'use strict';
// Filecoin's files: keys as bellman writes them, matrices as PCE, proofs of 192 bytes.
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const folder = path.resolve(__dirname, '../vectors/params');
const file = (circuit, name) => path.join(folder, circuit, name);
const keyOf = (circuit) => ['--params', file(circuit, 'key.params'), '--pce', file(circuit, 'circuit.pce')];

async function main() {
  for (const circuit of ['tiny', 'mixed']) {
    const inputs = [...keyOf(circuit), '--witness', file(circuit, 'witness.wtns')];
    await t.check(`${circuit}: snarkjs accepts the proof`, async () => {
      const [proof, signals] = ['proof.json', 'public.json'].map((name) => t.scratch(circuit, name));
      t.expectExit(t.cuzkRun([...inputs, '--check-key', proof, signals]), 0);
      t.expect(await t.snarkjsVerifies(file(circuit, 'verification_key.json'), signals, proof), 'snarkjs refuses it');
    });
    await t.check(`${circuit}: the same bytes as bellman's form and as JSON`, () => {
      const proof = t.scratch(circuit, 'proof.bin');
      for (const threads of ['1', '3']) {
        t.expectExit(t.cuzkRun([...inputs, '--proof-format', 'bellman', '--insecure-seed', '1', '--threads', threads, `${proof}${threads}`]), 0);
      }
      const bytes = fs.readFileSync(`${proof}1`);
      t.expect(bytes.length === 192 && bytes.equals(fs.readFileSync(`${proof}3`)), 'another length, or two proofs');
      const signals = t.scratch(circuit, 'public.json');
      const verify = (name) => t.cuzkRun(['--verify', '--proof-format', 'bellman', file(circuit, 'verification_key.json'), signals, name]);
      t.expectExit(verify(`${proof}1`), 0);
      fs.writeFileSync(`${proof}-twice`, Buffer.concat([bytes, bytes]));
      t.expectExit(verify(`${proof}-twice`), 3);
      bytes.copy(bytes, 144, 0, 48);
      fs.writeFileSync(`${proof}-other`, bytes);
      t.expectExit(verify(`${proof}-other`), 1);
      for (const at of [0, 48, 144]) t.expect((bytes[at] & 0xc0) === 0x80, `point at ${at}: flags`);
    });
    await t.check(`${circuit}: the witness satisfies the PCE and the .r1cs`, () => {
      for (const name of ['circuit.pce', 'circuit.r1cs']) {
        const result = t.cuzkRun(['--check-witness', file(circuit, name), file(circuit, 'witness.wtns')]);
        t.expectExit(result, 0);
        t.expect(result.stdout.includes('satisfies all'), result.stdout);
      }
    });
  }
  await t.check('a violating witness is explained by the PCE', () => {
    const bytes = fs.readFileSync(file('tiny', 'witness.wtns'));
    bytes[bytes.length - 32] ^= 1;
    const witness = t.scratch('violating.wtns');
    fs.writeFileSync(witness, bytes);
    const outputs = ['p.json', 'q.json'].map((name) => t.scratch('none', name));
    const result = t.cuzkRun([...keyOf('tiny'), '--witness', witness, ...outputs]);
    t.expectExit(result, 1);
    t.expect(/violates constraint \d+ of .*circuit\.pce/.test(result.stderr), result.stderr);
    t.expect(fs.readdirSync(t.scratch('none', '.')).length === 0, 'an output was left');
  });
  for (const [name, args, status] of [
    ['params without PCE', ['--params', file('tiny', 'key.params'), '--witness', 'w', 'p', 'q'], 2],
    ['another circuit\'s PCE', ['--params', file('tiny', 'key.params'), '--pce', file('mixed', 'circuit.pce'), '--witness', file('mixed', 'witness.wtns'), t.scratch('p'), t.scratch('q')], 3],
    ['params and PCE exchanged', ['--params', file('tiny', 'circuit.pce'), '--pce', file('tiny', 'key.params'), '--witness', file('tiny', 'witness.wtns'), t.scratch('p'), t.scratch('q')], 3],
    ['bellman\'s format on another curve', ['--proof-format', 'bellman', t.vector('bn128/multiplier', 'circuit.zkey'), t.vector('bn128/multiplier', 'witness.wtns'), t.scratch('p')], 2],
    ['an unknown format', ['--proof-format', 'gnark', t.vector('bn128/multiplier', 'circuit.zkey'), t.vector('bn128/multiplier', 'witness.wtns'), t.scratch('p')], 2],
  ]) {
    await t.check(name, () => {
      const result = t.cuzkRun(args);
      t.expectExit(result, status);
      t.expect(/^cuzk-run: .*\n$/.test(result.stderr), result.stderr);
      t.expect(!fs.existsSync(t.scratch('p')), 'an output was left');
    });
  }
  t.finish();
}

main();
