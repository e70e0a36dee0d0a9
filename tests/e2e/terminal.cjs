'use strict';
// Progress shows on a terminal and nowhere else; the completion knows every option of --help.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const folder = path.dirname(t.scratch('complete', 'a.zkey'));
const completion = path.resolve(__dirname, '../../completions/cuzk-run');

async function main() {
  const slow = ['--workload', 'dense:15', '--threads', '1'];
  const env = (name) => ({ ...process.env, CUZK_CACHE_DIR: t.scratch('cache', name) });
  await t.check('progress on a terminal', () => {
    const command = [t.program, ...slow].map((word) => `'${word}'`).join(' ');
    const result = spawnSync('script', ['-qec', command, '/dev/null'], { encoding: 'utf8', env: env('a'), timeout: 120000 });
    t.expect(result.status === 0, `script left with ${result.status}`);
    t.expect(/\r\x1b\[K\d+\.\d s {2}.*(make key|msm)/.test(result.stdout), 'no progress line');
    t.expect(/verified/.test(result.stdout.split('\r\x1b[K').pop()), 'the line was not taken away before the report');
  });
  await t.check('silent where it is piped', () => {
    const result = t.cuzkRun(slow, { env: env('b') });
    t.expectExit(result, 0);
    t.expect(result.stderr === '', `found '${result.stderr}'`);
  });
  const options = new Set(t.cuzkRun(['--help']).stdout.match(/^ +(-h \[ )?--[a-z0-9-]+/gm).map((word) => word.trim().replace('-h [ ', '')));
  const complete = (words) => {
    const script = `source '${completion}'; COMP_WORDS=(cuzk-run ${words.map((w) => `'${w}'`).join(' ')}); COMP_CWORD=${words.length}; _cuzk_run; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const result = spawnSync('bash', ['-c', script], { encoding: 'utf8', cwd: folder });
    t.expect(result.status === 0 && result.stderr === '', result.stderr);
    return result.stdout.trim().split('\n').filter(Boolean).sort();
  };
  await t.check('completion has the options of --help, no more and no fewer', () => {
    const found = complete(['--']);
    t.expect(JSON.stringify(found) === JSON.stringify([...options].sort()), `found ${found}\nexpected ${[...options].sort()}`);
  });
  await t.check('completion of values and files', () => {
    t.expect(complete(['--proof-format', '']).join(' ') === 'bellman snarkjs', 'formats');
    for (const name of ['a.zkey', 'b.wtns', 'c.txt']) fs.writeFileSync(t.scratch('complete', name), '');
    t.expect(complete(['--key', '']).join(' ') === 'a.zkey', 'keys');
    t.expect(complete(['']).join(' ') === 'a.zkey b.wtns', 'words');
  });
  t.finish();
}

main();
