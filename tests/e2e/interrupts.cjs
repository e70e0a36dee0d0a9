'use strict';
// SIGINT and SIGTERM at many moments of a proof: either both files are there, or none and one line says why; never a
// temporary. Optional third and fourth arguments: a larger key and its witness.
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const [program, , key, witness] = process.argv.slice(2).map((argument) => path.resolve(argument));
const inputs = key ? [key, witness]
  : ['circuit.zkey', 'witness.wtns'].map((file) => t.vector('bls12381/poseidon2', file));
const moments = 16;

/** Runs a proof and sends `signal` after `delay` ms (null: never): {status, signal, stderr, files, ms}. */
function interrupted(folder, delay, signal) {
  fs.mkdirSync(folder, { recursive: true });
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const outputs = ['proof.json', 'public.json'].map((file) => path.join(folder, file));
    const child = spawn(program, [...inputs, ...outputs], { stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    child.on('error', reject);
    const timer = delay === null ? null : setTimeout(() => child.kill(signal), delay);
    child.on('close', (status, ended) => {
      clearTimeout(timer);
      const ms = Number(process.hrtime.bigint() - start) / 1e6;
      resolve({ status, signal: ended, stderr, files: fs.readdirSync(folder).sort().join(' '), ms });
    });
  });
}

async function main() {
  let whole = 0;
  await t.check('a proof that nobody interrupts', async () => {
    const run = await interrupted(t.scratch('whole'), null);
    t.expect(run.status === 0 && run.files === 'proof.json public.json', `${run.status} ${run.files} ${run.stderr}`);
    whole = run.ms;
  });
  let stopped = 0;
  for (const signal of ['SIGINT', 'SIGTERM']) {
    for (let moment = 0; moment < moments; ++moment) {
      const delay = whole * moment / (moments - 1);
      await t.check(`${signal} after ${delay.toFixed(1)} of ${whole.toFixed(1)} ms`, async () => {
        const run = await interrupted(t.scratch(signal, `${moment}`), delay, signal);
        const found = `exit ${run.status} ${run.signal}, files '${run.files}', stderr '${run.stderr}'`;
        if (run.status === 0) {
          t.expect(run.files === 'proof.json public.json', found);
        } else if (run.signal === signal) {  // before the program had started
          t.expect(run.files === '' && run.stderr === '', found);
        } else {
          t.expect(run.status === 1 && run.files === '' && run.stderr === `cuzk-run: interrupted by ${signal}\n`, found);
          stopped += 1;
        }
      });
    }
  }
  await t.check('some were interrupted in the midst of a proof', () => t.expect(stopped > 0, 'none'));
  console.log(`${stopped} of ${2 * moments} interrupted in the midst`);
  t.finish();
}

main();
