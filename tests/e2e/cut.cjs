'use strict';
// The key's file is cut at many moments of a proof: a proof that was finished before, or exit 3, one line that names the
// key and no file; never a signal. Optional third and fourth arguments: a larger key and its witness.
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const [program, , key, witness] = process.argv.slice(2).map((argument) => path.resolve(argument));
const inputs = key ? [key, witness]
  : ['circuit.zkey', 'witness.wtns'].map((file) => t.vector('bls12381/poseidon2', file));
const moments = 16;

/** Runs a proof on a copy of the key that is cut to `left` bytes after `delay` ms (null: never). */
function cut(folder, delay, left) {
  const copy = t.scratch(folder, 'key', 'circuit.zkey');
  fs.copyFileSync(inputs[0], copy);
  const outputs = ['proof.json', 'public.json'].map((file) => t.scratch(folder, 'out', file));
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(program, [copy, inputs[1], ...outputs], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    child.on('error', reject);
    const timer = delay === null ? null : setTimeout(() => fs.truncateSync(copy, left), delay);
    child.on('close', (status, signal) => {
      clearTimeout(timer);
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      resolve({ status, signal, stderr, copy, files: fs.readdirSync(path.dirname(outputs[0])).sort().join(' '), ms });
    });
  });
}

async function main() {
  const size = fs.statSync(inputs[0]).size;
  let whole = 0;
  await t.check('a key that nobody cuts', async () => {
    const run = await cut('whole', null);
    t.expect(run.status === 0 && run.files === 'proof.json public.json', `${run.status} ${run.files} ${run.stderr}`);
    whole = run.ms;
  });
  let found = 0;
  for (const left of [0, Math.floor(size / 2), size - 1]) {
    for (let moment = 0; moment < moments; ++moment) {
      const delay = whole * moment / (moments - 1);
      await t.check(`cut to ${left} of ${size} bytes after ${delay.toFixed(1)} of ${whole.toFixed(1)} ms`, async () => {
        const run = await cut(`${left}-${moment}`, delay, left);
        const what = `exit ${run.status} ${run.signal}, files '${run.files}', stderr '${run.stderr}'`;
        if (run.status === 0) {
          t.expect(run.files === 'proof.json public.json', what);
        } else {
          t.expect(run.status === 3 && run.files === '', what);
          t.expect(run.stderr.startsWith(`cuzk-run: ${run.copy}: `) && /^.*\n$/.test(run.stderr), what);
          found += run.stderr.includes(' while it was read');
        }
      });
    }
  }
  await t.check('some were cut while they were mapped', () => t.expect(found > 0, 'none'));
  console.log(`${found} of ${3 * moments} cut while they were mapped`);
  t.finish();
}

main();
