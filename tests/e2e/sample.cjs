'use strict';
// A bare call, from any folder, proves the sample and names the plugin and writes nothing; written out, snarkjs accepts
// the sample's proof.
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const sample = (file) => path.resolve(__dirname, '../../samples', file);

async function main() {
  await t.check('bare call', () => {
    const cwd = t.scratch('empty', 'folder');
    fs.mkdirSync(cwd);
    const result = t.cuzkRun([], { cwd });
    t.expectExit(result, 0);
    t.expect(/cpu-reference|cuda-/.test(result.stdout), `no plugin is named in:\n${result.stdout}`);
    t.expect(/\bverified\b/.test(result.stdout), `no verified proof in:\n${result.stdout}`);
    t.expect(fs.readdirSync(cwd).length === 0, 'the call left files behind');
  });
  await t.check('bare call, as JSON', () => {
    const result = t.cuzkRun(['--json']);
    t.expectExit(result, 0);
    JSON.parse(result.stdout);
  });
  await t.check('the sample, written out', async () => {
    const [proof, publicSignals] = ['proof.json', 'public.json'].map((file) => t.scratch(file));
    t.expectExit(t.cuzkRun([sample('circuit.zkey'), sample('witness.wtns'), proof, publicSignals]), 0);
    t.expect(await t.snarkjsVerifies(sample('verification_key.json'), publicSignals, proof),
      'snarkjs does not accept the proof');
  });
  t.finish();
}

main();
