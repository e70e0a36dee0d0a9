'use strict';
// SIGINT, SIGTERM and SIGHUP at many moments of a proof: either both files are there, or none and one line says why;
// never a temporary. A second SIGINT or SIGTERM ends the process, unless it comes with the first; what is ignored from the start stays ignored; a file
// that grows past the limit is an ordinary error. Optional third and fourth arguments: a larger key and its witness.
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const [program, , key, witness] = process.argv.slice(2).map((argument) => path.resolve(argument));
const inputs = key ? [key, witness]
  : ['circuit.zkey', 'witness.wtns'].map((file) => t.vector('bls12381/poseidon2', file));
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const moments = 12;

/** Runs a proof and sends `signal` after `delay` ms (null: never): {status, signal, stderr, files, ms}. lead: a command
 *  that starts the program. */
function interrupted(folder, delay, signal, lead = []) {
  fs.mkdirSync(folder, { recursive: true });
  return new Promise((resolve, reject) => {
    const start = process.hrtime.bigint();
    const outputs = ['proof.json', 'public.json'].map((file) => path.join(folder, file));
    const [command, ...args] = [...lead, program, ...inputs, ...outputs];
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
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

const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });

/** Sends the signals (or several at once) one after another to a run that waits for its standard output to be read, which nobody does:
 *  the signal that ended it. All but the last must leave it running. */
async function ended(name, sequence) {
  const fifo = t.scratch(name, 'stdout');
  t.expect(spawnSync('mkfifo', [fifo]).status === 0, 'mkfifo failed');
  const reader = fs.openSync(fifo, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  try {
    for (;;) fs.writeSync(reader, Buffer.alloc(4096));
  } catch (error) {
    t.expect(error.code === 'EAGAIN', error.message);  // full
  }
  const outputs = ['proof.json', 'public.json'].map((file) => t.scratch(name, 'out', file));
  const stdout = fs.openSync(fifo, 'w');
  const child = spawn(program, [...inputs, ...outputs], { stdio: ['ignore', stdout, 'ignore'] });
  fs.closeSync(stdout);
  const close = new Promise((resolve) => { child.on('close', (status, signal) => resolve(signal ?? status)); });
  try {
    while (!outputs.every((file) => fs.existsSync(file)) && child.exitCode === null) await sleep(5);
    for (const [index, signal] of sequence.entries()) {
      for (const one of [signal].flat()) child.kill(one);
      if (index + 1 === sequence.length) break;
      t.expect(await Promise.race([close, sleep(100)]) === undefined, `ended by ${sequence.slice(0, index + 1)}`);
    }
    const end = await Promise.race([close, sleep(20000)]);
    const files = fs.readdirSync(path.dirname(outputs[0])).sort().join(' ');
    t.expect(files === 'proof.json public.json', `found ${files}`);
    return end;
  } finally {
    child.kill('SIGKILL');
    fs.closeSync(reader);
  }
}

async function main() {
  let whole = 0;
  await t.check('a proof that nobody interrupts', async () => {
    const run = await interrupted(t.scratch('whole'), null);
    t.expect(run.status === 0 && run.files === 'proof.json public.json', `${run.status} ${run.files} ${run.stderr}`);
    whole = run.ms;
  });
  let stopped = 0;
  for (const signal of signals) {
    for (let moment = 0; moment < moments; ++moment) {
      const delay = whole * moment / (moments - 1);
      await t.check(`${signal} after ${delay.toFixed(1)} of ${whole.toFixed(1)} ms`, async () => {
        const run = await interrupted(t.scratch(signal, `${moment}`), delay, signal);
        const found = `exit ${run.status} ${run.signal}, files '${run.files}', stderr '${run.stderr}'`;
        if (run.status === 0) {
          t.expect(run.files === 'proof.json public.json', found);
        } else if (run.signal === signal) {  // before the program had started, or when its work was done
          t.expect((run.files === '' || run.files === 'proof.json public.json') && run.stderr === '', found);
        } else {
          t.expect(run.status === 1 && run.files === '' && run.stderr === `cuzk-run: interrupted by ${signal}\n`, found);
          stopped += 1;
        }
      });
    }
  }
  await t.check('some were interrupted in the midst of a proof', () => t.expect(stopped > 0, 'none'));
  for (const sequence of [['SIGINT', 'SIGINT'], ['SIGTERM', 'SIGINT'], ['SIGHUP', 'SIGHUP', 'SIGTERM'], [['SIGINT', 'SIGTERM'], 'SIGTERM']]) {
    await t.check(`${sequence}: the last one ends it`, async () => {
      const end = await ended(sequence.flat().join('-'), sequence);
      t.expect(end === sequence.at(-1), `ended with ${end}`);
    });
  }
  for (const signal of signals) {
    await t.check(`${signal} that is ignored from the start`, async () => {
      const lead = ['sh', '-c', `trap '' ${signal.slice(3)}; exec "$@"`, 'sh'];
      const run = await interrupted(t.scratch('ignored', signal), whole / 2, signal, lead);
      t.expect(run.status === 0 && run.files === 'proof.json public.json', `${run.status} ${run.signal} ${run.stderr}`);
    });
  }
  await t.check('a file size limit', async () => {
    const folder = t.scratch('limit');
    const run = await interrupted(folder, null, null, ['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh']);
    const found = `exit ${run.status} ${run.signal}, files '${run.files}', stderr '${run.stderr}'`;
    t.expect(run.status === 1 && run.files === '', found);
    t.expect(run.stderr === `cuzk-run: ${folder}/proof.json: cannot write: File too large\n`, found);
  });
  console.log(`${stopped} of ${signals.length * moments} interrupted in the midst`);
  t.finish();
}

main();
