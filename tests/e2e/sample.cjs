'use strict';
// A bare call proves the sample and names the plugin; snarkjs accepts the proof.
const path = require('node:path');
const t = require('./harness.cjs');

async function main() {
  await t.check('bare call', async () => {
    const proof = t.scratch('proof.json');
    const result = t.cuzkRun([]);
    t.expectExit(result, 0);
    t.expect(/cpu-reference|cuda-/.test(result.stdout + result.stderr), `no plugin is named in:\n${result.stdout}`);
    const key = path.resolve(__dirname, '../../samples/verification_key.json');
    t.expect(await t.snarkjsVerifies(key, t.scratch('public.json'), proof), 'snarkjs does not accept the proof');
  });
  t.finish();
}

main();
