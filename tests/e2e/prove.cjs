'use strict';
// snarkjs accepts the proofs of every vector circuit; with a fixed seed the number of threads does not show in them;
// without one, no two proofs are the same.
const fs = require('node:fs');
const t = require('./harness.cjs');

function prove(circuit, name, args) {
  const outputs = ['proof.json', 'public.json'].map((file) => t.scratch(circuit, name, file));
  t.expectExit(t.cuzkRun([t.vector(circuit, 'circuit.zkey'), t.vector(circuit, 'witness.wtns'), ...outputs, ...args]), 0);
  return outputs;
}

const bytes = (files) => Buffer.concat(files.map((file) => fs.readFileSync(file)));

async function accepted(circuit, [proof, publicSignals]) {
  t.expect(await t.snarkjsVerifies(t.vector(circuit, 'verification_key.json'), publicSignals, proof),
    'snarkjs does not accept the proof');
}

async function main() {
  for (const circuit of t.circuits) {
    await t.check(`${circuit}: public.json is snarkjs's`, () => {
      const [, publicSignals] = prove(circuit, 'public', []);
      t.expect(JSON.stringify(t.readJson(publicSignals)) === JSON.stringify(t.readJson(t.vector(circuit, 'public.json'))),
        `${publicSignals} differs`);
    });
    await t.check(`${circuit}: the same bytes for 1, 2 and 7 threads`, async () => {
      const proofs = [1, 2, 7].map((n) => prove(circuit, `threads${n}`, ['--threads', `${n}`, '--insecure-seed', '5']));
      for (const proof of proofs) t.expect(bytes(proof).equals(bytes(proofs[0])), 'proofs differ between thread counts');
      await accepted(circuit, proofs[0]);
    });
    await t.check(`${circuit}: another seed, another proof`, async () => {
      const proofs = [6, 7].map((seed) => prove(circuit, `seed${seed}`, ['--insecure-seed', `${seed}`]));
      t.expect(!bytes(proofs[0]).equals(bytes(proofs[1])), 'two seeds gave one proof');
    });
    await t.check(`${circuit}: two proofs without a seed differ and verify`, async () => {
      const proofs = ['first', 'second'].map((name) => prove(circuit, name, []));
      t.expect(!bytes(proofs[0]).equals(bytes(proofs[1])), 'two proofs of one witness are the same');
      for (const proof of proofs) await accepted(circuit, proof);
    });
  }
  await t.check('the independent verifier refuses a proof of another circuit', async () => {
    const circuit = 'bn128/multiplier';
    const other = t.vector('bn128/nopublic', 'proof.json');
    t.expect(!await t.snarkjsVerifies(t.vector(circuit, 'verification_key.json'), t.vector(circuit, 'public.json'), other),
      'snarkjs accepted it, so its word is worth nothing here');
  });
  t.finish();
}

main();
