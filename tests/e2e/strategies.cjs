'use strict';
// Lock policies from outside: every one proves with the least memory, what is less is refused, the experiment says what
// it is and fails as such; what --simulate and --timeline take and refuse.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const card = (name) => path.resolve(__dirname, '../../samples/device-models', name);
const cache = { env: { ...process.env, CUZK_CACHE_DIR: t.scratch('cache', 'x') } };
const workload = ['--workload', 'porep:8,partitions=6', '--workers', '3'];
const run = (args) => t.cuzkRun(args, cache);
const json = (args, status = 0) => {
  const result = run([...args, '--json']);
  t.expectExit(result, status);
  return JSON.parse(result.stdout);
};
const least = (lock) => json(['--explain', ...workload, '--lock', lock]).least_footprint;

async function main() {
  for (const lock of ['none', 'single-lock', 'two-lock']) {
    await t.check(`${lock} with the least that proves, and with less`, () => {
      const bytes = least(lock);
      const report = json([...workload, '--lock', lock, '--device-memory', String(bytes)]);
      t.expect(report.proofs.length === 6 && report.proofs.every((proof) => proof.verified), 'not all verified');
      t.expect(report.devices[0].memory.high_water <= bytes, 'more memory than allowed');
      t.expect(!report.strategy.lock_experiment, 'an experiment?');
      const started = Date.now();
      const refused = run([...workload, '--lock', lock, '--device-memory', String(bytes - 1)]);
      t.expectExit(refused, 5);
      t.expect(refused.stderr.includes(`(${bytes} bytes)`) && refused.stderr.includes(`(${bytes - 1} bytes)`), refused.stderr);
      t.expect(Date.now() - started < 10000, 'not at once');
    });
  }
  await t.check('the naive one fails where memory is short, and says that it is an experiment', () => {
    const args = [...workload, '--lock', 'two-lock-naive', '--device-memory', String(least('two-lock-naive'))];
    const report = json(args, 5);
    t.expect(report.strategy.lock_experiment, 'no word of it in the report');
    const failed = report.proofs.filter((proof) => proof.error);
    t.expect(failed.length > 0 && failed.length < 6, `${failed.length} of 6 failed`);
    t.expect(failed.every((proof) => proof.error.code === 'out_of_memory' && proof.error.message.includes('two-lock-naive')), JSON.stringify(failed));
    const text = run(args);
    t.expect(/lock .*two-lock-naive \(EXPERIMENT/.test(text.stdout), text.stdout);
    t.expect(/warning: .*EXPERIMENT/.test(text.stderr), text.stderr);
    t.expectExit(run([...workload, '--lock', 'two-lock-naive']), 0);
  });
  await t.check('streamed bases leave no key on the device, and give the same proof', () => {
    const proofs = ['resident', 'streamed'].map((bases) => {
      const files = ['proof', 'public'].map((file) => t.scratch(`${bases}.${file}.json`));
      const args = ['--workload', 'porep:8,partitions=1', '--device-model', card('card-16gib.json'), '--bases', bases];
      t.expect(/streamed as asked/.test(run(['--explain', ...args]).stdout) === (bases === 'streamed'), 'not explained');
      const report = json([...args, '--insecure-seed', '7', ...files]);
      t.expect(report.strategy.bases === bases && (report.devices[0].layout.key === 0) === (bases === 'streamed'), JSON.stringify(report.devices[0].layout));
      return { bytes: fs.readFileSync(files[0], 'utf8'), moved: report.proofs[0].uploaded_bytes };
    });
    t.expect(proofs[0].bytes === proofs[1].bytes && proofs[1].moved > proofs[0].moved, JSON.stringify(proofs));
  });
  await t.check('a summary of many proofs', () => {
    const result = run([...workload, '--lock', 'two-lock']);
    for (const word of ['cpu:0 busy', 'most in use', 'lock held', 'latency', 'p95', 's a proof']) t.expect(result.stdout.includes(word), result.stdout);
    const { summary } = json([...workload, '--lock', 'two-lock']);
    t.expect(summary.devices[0].partitions === 6 && summary.seconds_per_proof > 0 && summary.host_high_water > 0, JSON.stringify(summary));
    t.expect(summary.latency_p50_ns <= summary.latency_p95_ns, JSON.stringify(summary));
  });
  await t.check('two locks upload under kernels where one does not', () => {
    const under = (lock) => json(['--simulate', '--workload', 'porep:27', '--device-model', card('card-139gib.json'), '--workers', '2', '--lock', lock]);
    const [one, two] = [under('single-lock'), under('two-lock')];
    t.expect(one.summary.devices[0].upload_under_kernels_ns === 0, JSON.stringify(one.summary));
    t.expect(two.summary.devices[0].upload_under_kernels_ns > 1e9, JSON.stringify(two.summary));
    t.expect(two.total_ns < one.total_ns, `${two.total_ns} and ${one.total_ns}`);
  });
  await t.check('the timeline is an output like others', () => {
    const absent = run([...workload, '--timeline', t.scratch('x', 'file') + '/run.json']);
    t.expectExit(absent, 1);
    t.expect(absent.stderr.includes('run.json'), absent.stderr);
    const key = t.vector('bn128/multiplier', 'circuit.zkey');
    const witness = t.vector('bn128/multiplier', 'witness.wtns');
    const output = t.scratch('same.json');
    t.expectExit(run([key, witness, output, t.scratch('q.json'), '--timeline', output]), 2);
    t.expectExit(run([key, t.scratch('absent.wtns'), output, t.scratch('q.json'), '--timeline', t.scratch('failed.json')]), 3);
    t.expect(fs.existsSync(t.scratch('failed.json')), 'what failed has no timeline');
  });
  await t.check('no output replaces the model', () => {
    const model = t.scratch('card.json');
    fs.copyFileSync(card('card-16gib.json'), model);
    const before = fs.readFileSync(model, 'utf8');
    const files = ['circuit.zkey', 'witness.wtns'].map((file) => t.vector('bn128/multiplier', file));
    for (const args of [['--simulate', '--workload', 'porep:12', '--timeline', model], [...workload, '--timeline', model], [...files, model, t.scratch('q.json')]]) {
      t.expectExit(run([...args, '--device-model', model]), 2);
      t.expect(fs.readFileSync(model, 'utf8') === before, 'it was replaced');
    }
  });
  await t.check('what a simulation loses is told like other errors', () => {
    const result = run(['--simulate', '--workload', 'porep:27', '--device-model', card('card-16gib.json'), '--workers', '3', '--lock', 'two-lock-naive', '--json']);
    t.expectExit(result, 5);
    for (const failure of JSON.parse(result.stdout).failures) t.expect(result.stderr.includes(`cuzk-run: ${failure}\n`), result.stderr);
  });
  await t.check('a timeline that finds no room takes neither report nor proofs along', () => {
    const out = t.scratch('kept');
    const args = ['--workload', 'porep:5,partitions=12', '--out-dir', out, '--timeline', t.scratch('large.json'), '--json'];
    const result = spawnSync('sh', ['-c', 'ulimit -f 8; exec "$@"', 'sh', path.resolve(process.argv[2]), ...args], { encoding: 'utf8', ...cache });
    t.expectExit(result, 1);
    t.expect(result.stderr.includes('large.json: cannot write: File too large; written were '), result.stderr);
    t.expect(fs.readdirSync(out).length === 24 && !fs.existsSync(t.scratch('large.json')), 'wrong files');
  });
  for (const [name, args, status, words] of [
    ['simulate without a card', ['--simulate', '--workload', 'porep:27'], 2, ['--device-model']],
    ['simulate without a workload', ['--simulate', '--device-model', card('card-16gib.json')], 2, ['--workload']],
    ['simulate another workload', ['--simulate', '--workload', 'dense:10', '--device-model', card('card-16gib.json')], 2, ['porep:K']],
    ['simulate with kernels', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-16gib.json'), '--msm', 'pippenger'], 2, ['--msm']],
    ['simulate with bases', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-16gib.json'), '--bases', 'streamed'], 2, ['--bases']],
    ['bases elsewhere', ['--explain', '--bases', 'host'], 2, ['--bases', 'resident or streamed']],
    ['simulate with host memory', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-16gib.json'), '--host-memory', '1GiB'], 2, ['--host-memory']],
    ['simulate on too little', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-16gib.json'), '--device-memory', '1GiB'], 5, ['1.0 GiB']],
    ['simulate with no such policy', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-16gib.json'), '--lock', 'three-lock'], 4, ['three-lock', 'two-lock']],
    ['a timeline of nothing', ['--explain', '--timeline', 'x.json'], 2, ['--timeline']],
    ['a model that is not there', ['--device-model', '/absent/card.json'], 3, ['/absent/card.json']],
  ]) {
    await t.check(name, () => {
      const result = run(args);
      t.expectExit(result, status);
      for (const word of words) t.expect(result.stderr.includes(word), `no '${word}' in ${result.stderr}`);
    });
  }
  t.finish();
}

main();
