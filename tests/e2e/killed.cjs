'use strict';
// SIGTERM and SIGKILL, 25 times each, at random moments of runs that write over older proofs and keep a key: every file
// is whole, the old one or the new one, and the next run works. The seed is printed; CUZK_SEED repeats one.
const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const times = 25;
const spec = 'porep:7,partitions=3';
const seed = process.env.CUZK_SEED ?? String(Date.now());
let draws = 0;
/** In [0, 1), from the seed. */
const random = () => crypto.createHash('sha256').update(`${seed} ${draws += 1}`).digest().readUInt32LE() / 2 ** 32;

const folder = t.scratch('out', 'x').slice(0, -2);
const cache = t.scratch('cache', 'x').slice(0, -2);
const env = { ...process.env, CUZK_CACHE_DIR: cache };
const args = ['--workload', spec, '--workers', '2', '--out-dir', folder];
const names = [0, 1, 2].flatMap((i) => [`partition-${i}.proof.json`, `partition-${i}.public.json`]);

/** Runs to the end, or sends the signal after so many ms: {pid, status, signal, stderr, ms}. */
function run(delay, signal) {
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const child = spawn(t.program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    child.on('error', reject);
    const timer = signal && setTimeout(() => child.kill(signal), delay);
    child.on('close', (status, ended) => {
      clearTimeout(timer);
      resolve({ pid: child.pid, status, signal: ended, stderr, ms: Number(process.hrtime.bigint() - start) / 1e6 });
    });
  });
}

/** Throws where a file is not whole; public signals never change. */
function expectWhole(signals) {
  const found = fs.readdirSync(folder);
  for (const name of found.filter((file) => !file.startsWith('.cuzk-'))) {
    t.expect(names.includes(name), `found ${name}`);
    const json = t.readJson(path.join(folder, name));  // throws where it is cut
    if (name.endsWith('public.json')) t.expect(JSON.stringify(json) === signals[name], `${name} changed`);
    else t.expect(json.protocol === 'groth16' && json.pi_a.length === 3 && json.pi_c.length === 3, `${name} lacks something`);
  }
}

async function main() {
  console.log(`seed ${seed}`);
  const first = await run();
  const whole = first.ms;
  const signals = {};
  await t.check('nobody interrupts', () => {
    t.expect(first.status === 0 && fs.readdirSync(folder).length === names.length, first.stderr);
    for (const name of names.filter((file) => file.endsWith('public.json'))) signals[name] = JSON.stringify(t.readJson(path.join(folder, name)));
  });
  const stopped = { SIGTERM: 0, SIGKILL: 0 };
  for (let i = 0; i < 2 * times; ++i) {
    const signal = i % 2 === 0 ? 'SIGTERM' : 'SIGKILL';
    const fresh = random() < 0.3;  // also while the key is made and kept
    const delay = random() * whole;
    await t.check(`${i}: ${signal} after ${delay.toFixed(1)} of ${whole.toFixed(1)} ms${fresh ? ', without a key' : ''}`, async () => {
      if (fresh) fs.rmSync(cache, { recursive: true, force: true });
      const result = await run(delay, signal);
      const found = `exit ${result.status} ${result.signal}, stderr '${result.stderr}'`;
      if (signal === 'SIGKILL') {
        t.expect(result.signal === 'SIGKILL' || result.status === 0, found);
      } else {
        t.expect(result.status === 0 || result.signal === signal || (result.status === 1 && result.stderr.startsWith('cuzk-run: interrupted by SIGTERM')), found);
        t.expect(result.status !== 1 || !fs.readdirSync(folder).some((file) => file.startsWith(`.cuzk-${result.pid}-`)), 'a temporary is left');
      }
      if (result.status !== 0) stopped[signal] += 1;
      expectWhole(signals);
      if (i % 5 !== 4) return;
      const next = await run();
      t.expect(next.status === 0 && next.stderr === '', `the next run: exit ${next.status}, stderr '${next.stderr}'`);
      expectWhole(signals);
    });
  }
  await t.check('some were stopped in the midst', () => t.expect(stopped.SIGTERM > 0 && stopped.SIGKILL > 0, JSON.stringify(stopped)));
  console.log(`${stopped.SIGTERM} ended by SIGTERM, ${stopped.SIGKILL} by SIGKILL`);
  t.finish();
}

main();
