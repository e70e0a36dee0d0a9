'use strict';
// Few and many threads, one CPU, little memory: a proof comes, and the process holds no more than it may.
const { spawnSync } = require('node:child_process');
const t = require('./harness.cjs');

const cache = { ...process.env, CUZK_CACHE_DIR: t.scratch('cache', 'keys') };
const MiB = 1 << 20;

async function main() {
  for (const threads of ['1', '2', '64', '1024']) {
    await t.check(`${threads} threads`, () => {
      t.expectExit(t.cuzkRun(['--workload', 'dense:10', '--threads', threads, '--workers', '2'], { env: cache }), 0);
    });
  }
  for (const args of [[], ['--threads', '3'], ['--workers', '4']]) {
    await t.check(`one CPU ${args.join(' ')}`, () => {
      const result = spawnSync('taskset', ['-c', '0', t.program, '--workload', 'porep:8,partitions=4', ...args],
        { encoding: 'utf8', env: cache, timeout: 100000 });
      t.expect(result.status === 0, `${result.status} ${result.signal} ${result.stderr}`);
    });
  }
  for (const spec of ['dense:16', 'porep:16,partitions=1']) {
    await t.check(`peak memory of ${spec}`, () => {
      t.expectExit(t.cuzkRun(['--workload', spec], { env: cache }), 0);  // so that the key is in the cache
      const result = t.cuzkRun(['--workload', spec, '--json', '--threads', '2'], { env: cache });
      t.expectExit(result, 0);
      const json = JSON.parse(result.stdout);
      const { variables, log2_domain: log2, curve } = json.keys[0];
      const point = curve === 'bn254' ? 64 : 96;
      const key = variables * 5 * point + 2 ** log2 * point + 12 * variables * 44;  // A, B1, C, B2; H; coefficients
      const most = key + 32 * variables + 5 * 32 * 2 ** log2 + 64 * MiB;
      t.expect(json.peak_memory <= most, `found ${json.peak_memory / MiB} MiB, expected at most ${most / MiB}`);
    });
  }
  t.finish();
}

main();
