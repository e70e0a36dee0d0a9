'use strict';
// cuzk-bench from outside: what ab, sweep and endure write is what docs/schema says and adds up; what they refuse; what
// must hold decides the exit code.
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');
const t = require('./harness.cjs');

const Ajv = require(path.join(t.tools, 'node_modules/ajv/dist/2020'));
const root = path.resolve(__dirname, '../..');
const schema = (name) => new Ajv({ strict: false, allErrors: true }).compile(t.readJson(path.join(root, 'docs/schema', name)));
const [validAb, validSweep, validEndure, validTimeline] = ['cuzk-bench-ab-2', 'cuzk-bench-sweep-1', 'cuzk-bench-endure-1', 'cuzk-timeline-1'].map((name) => schema(`${name}.json`));
const card = path.join(root, 'samples/device-models/card-16gib.json');
const bench = (args, options) => t.cuzkRun(args, options);
const tiny = ['--workload', 'porep:6,partitions=2'];

async function main() {
  let ab;
  await t.check('ab of two comparisons', () => {
    const file = t.scratch('ab.json');
    const result = bench(['ab', ...tiny, '--jobs', '2', '--pairs', '2', '--json', file,
      '--a', 'cpu-reference', '--b', 'cpu-reference,lock=two-lock,workers=2', '--name', 'first', '--at-most', '100',
      '--a', `cpu-reference,model=${card}`, '--b', `cpu-reference,model=${card},bases=streamed,memory=1.3fp`, '--judge', 'device']);
    t.expectExit(result, 0);
    ab = t.readJson(file);
    t.expect(validAb(ab), JSON.stringify(validAb.errors));
    const [first, second] = ab.comparisons;
    t.expect(first.name === 'first' && first.at_most === 100 && first.holds && first.judged === 'seconds', JSON.stringify(first));
    t.expect(second.a.key_bytes > 0 && second.b.key_bytes === 0 && second.b.high_water <= second.b.device_memory, JSON.stringify(second));
    t.expect(second.b.bytes_per_partition > second.a.bytes_per_partition, 'streamed bases are uploads');
    const each = (side) => side.seconds_per_proof.each;
    const mean = Math.exp(each(first.a).reduce((sum, a, i) => sum + Math.log(each(first.b)[i] / a), 0) / each(first.a).length);
    t.expect(each(first.a).length === 2 && Math.abs(mean / first.ratios.seconds.b_to_a - 1) < 1e-9, 'the ratio is b / a');
    t.expect(first.ratios.seconds.low <= mean && mean <= first.ratios.seconds.high, 'the interval holds it');
    for (const word of ['first', '95 % interval', 'device time', 'holds']) t.expect(result.stdout.includes(word), result.stdout);
  });
  await t.check('the schema can refuse', () => {
    const changed = structuredClone(ab);
    delete changed.comparisons[0].ratios.seconds.high;
    t.expect(!validAb(changed), 'it was accepted');
  });
  await t.check('one pair has no interval', () => {
    const file = t.scratch('one.json');
    t.expectExit(bench(['ab', ...tiny, '--pairs', '1', '--a', 'cpu-reference', '--b', 'cpu-reference', '--json', file]), 0);
    const json = t.readJson(file);
    t.expect(validAb(json) && json.comparisons[0].ratios.seconds.high === null, JSON.stringify(json.comparisons[0].ratios));
  });
  await t.check('what does not hold: exit 1, figures all the same', () => {
    const file = t.scratch('not.json');
    const result = bench(['ab', ...tiny, '--pairs', '2', '--a', 'cpu-reference', '--b', 'cpu-reference', '--at-most', '0.001', '--json', file]);
    t.expectExit(result, 1);
    t.expect(result.stdout.includes('DOES NOT HOLD') && !t.readJson(file).comparisons[0].holds, result.stdout);
  });
  await t.check('sweep: all the same, less refused, the experiment loses', () => {
    const [file, folder] = [t.scratch('sweep.json'), t.scratch('timelines', 'x')];
    const result = bench(['sweep', '--plugin', 'cpu-reference', '--model', card, '--workload', 'porep:9,partitions=4', '--workers', '1,2',
      '--locks', 'single-lock,two-lock-naive', '--memory', 'ample,1.0fp', '--json', file, '--timelines', folder]);
    t.expectExit(result, 0);
    const json = t.readJson(file);
    t.expect(validSweep(json), JSON.stringify(validSweep.errors));
    t.expect(json.combinations === 16 && json.rows.length === 16 && json.wrong === 0 && json.refused === 8, result.stdout);
    t.expect(json.lost > 0 && json.proofs + json.lost === 64, result.stdout);
    t.expect(json.rows.every((row) => row.lost === 0 || (row.lock === 'two-lock-naive' && row.memory === '1.0fp')), JSON.stringify(json.rows));
    t.expect(/^16 combinations, \d+ proofs, verified and the same/m.test(result.stdout), result.stdout);
    const traces = fs.readdirSync(folder);
    t.expect(traces.length === 16 && traces.every((name) => validTimeline(t.readJson(path.join(folder, name)))), traces.join(' '));
  });
  await t.check('sweep: what cannot be opened is wrong, an experiment too', () => {
    const file = t.scratch('closed.json');
    const result = bench(['sweep', ...tiny, '--plugin', 'cpu-reference', '--device', 'cpu:0', '--locks', 'none,two-lock-naive',
      '--workers', '1', '--bases', 'resident', '--memory', '0.5fp,ample', '--json', file]);
    t.expectExit(result, 1);
    const json = t.readJson(file);
    t.expect(validSweep(json), JSON.stringify(validSweep.errors));
    t.expect(json.rows.length === 4 && json.wrong === 2 && json.lost === 0 && json.proofs === 4, JSON.stringify(json));
    t.expect(json.rows.every((row) => (row.memory === '0.5fp') === ('error' in row)), JSON.stringify(json.rows));
    t.expect((result.stdout.match(/^WRONG .*0\.5fp: .*needs at least/gm) || []).length === 2, result.stdout);
  });
  await t.check('standard output that is full: exit 1', () => {
    const full = fs.openSync('/dev/full', 'w');
    const result = bench(['ab', ...tiny, '--pairs', '1', '--a', 'cpu-reference', '--b', 'cpu-reference'], { stdio: ['ignore', full, 'pipe'] });
    fs.closeSync(full);
    t.expect(result.status === 1 && result.stderr.includes('standard output could not be written'), `${result.status} ${result.stderr}`);
  });
  const nowhere = path.join(t.scratch('nowhere'), 'x.json');
  for (const [args, words] of [
    [['ab', ...tiny, '--a', 'cpu-reference', '--b', 'cpu-reference', '--json', nowhere], [nowhere]],
    [['sweep', ...tiny, '--plugin', 'cpu-reference', '--json', nowhere], [nowhere]],
    [['endure', ...tiny, '--side', 'cpu-reference', '--json', nowhere], [nowhere]],
    [['sweep', ...tiny, '--plugin', 'cpu-reference', '--timelines', '/dev/full'], ['/dev/full', 'expected a folder']],
  ]) {
    await t.check(`${args[0]}: ${words[0]} is refused before any work`, () => {
      const result = bench(args);
      t.expectExit(result, 1);
      for (const word of words) t.expect(result.stderr.includes(word), result.stderr);
      t.expect(result.stderr.trim().split('\n').length === 1 && !result.stderr.includes('setup'), result.stderr);
    });
  }
  await t.check('endure: nothing grows', () => {
    const file = t.scratch('endure.json');
    t.expectExit(bench(['endure', '--side', 'cpu-reference,workers=2', ...tiny, '--proofs', '40', '--json', file]), 0);
    const json = t.readJson(file);
    t.expect(validEndure(json) && json.proofs === 40 && !json.grew && json.after.resident > 0, JSON.stringify(json));
  });
  await t.check('hold: until its input ends', () => new Promise((resolve, reject) => {
    const child = spawn(t.program, ['hold', '--plugin', 'cpu-reference', '--leave', '1000TiB']);
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    child.on('error', reject);
    child.on('close', (status) => (status === 5 && stderr.includes('--leave') ? resolve() : reject(new Error(`${status} ${stderr}`))));
  }));
  await t.check('gpu-check: figures of a group, and all else in one file', () => {
    const [out, tools] = [t.scratch('gpu', 'out'), t.scratch('gpu', 'bin', 'nvidia-smi')];
    fs.writeFileSync(tools, '#!/bin/sh\necho none\n', { mode: 0o755 });
    const result = spawnSync(path.join(root, 'scripts/gpu-check'), ['--only', 'full', path.dirname(t.program), 'cpu-reference'],
      { encoding: 'utf8', env: { ...process.env, PATH: `${path.dirname(tools)}:${process.env.PATH}`, OUT: out, PACK: '1', SIZES: '8 8 8 8 8' } });
    t.expect(result.status === 0 && result.stdout.includes('3 passed, 0 failed, 0 not run'), `${result.stdout}${result.stderr}`);
    t.expect(fs.readdirSync(out).sort().join(' ') === 'full.json logs.tar.gz table.txt', fs.readdirSync(out).join(' '));
    const full = t.readJson(path.join(out, 'full.json'));
    t.expect(validAb(full.results['full-size']) && full.card === 'none' && full.host.length > 4, JSON.stringify(full));
  });
  for (const [name, args, status, words] of [
    ['no command', [], 2, ['ab', 'sweep']],
    ['another command', ['abc'], 2, ['abc', 'endure']],
    ['no side', ['ab', ...tiny], 2, ['--a is missing']],
    ['half a comparison', ['ab', ...tiny, '--a', 'cpu-reference'], 2, ['no --b']],
    ['b twice', ['ab', ...tiny, '--a', 'x', '--b', 'y', '--b', 'z'], 2, ['--b z']],
    ['b first', ['ab', ...tiny, '--b', 'x', '--a', 'y'], 2, ['before the first --a']],
    ['no workload', ['ab', '--a', 'cpu-reference', '--b', 'cpu-reference'], 2, ['--workload']],
    ['a limit without an interval', ['ab', ...tiny, '--pairs', '1', '--a', 'x', '--b', 'y', '--at-most', '1'], 2, ['2 pairs']],
    ['no ratio', ['ab', ...tiny, '--a', 'x', '--b', 'y', '--at-most', 'fast'], 2, ['fast']],
    ['nothing to judge', ['ab', ...tiny, '--a', 'x', '--b', 'y', '--judge', 'colour'], 2, ['colour']],
    ['a limit twice', ['ab', ...tiny, '--a', 'x', '--b', 'y', '--at-most', '1', '--at-most', '2'], 2, ['--at-most 2']],
    ['two judges', ['ab', ...tiny, '--a', 'x', '--b', 'y', '--judge', 'device', '--judge', 'seconds'], 2, ['--judge seconds']],
    ['two names', ['ab', ...tiny, '--a', 'x', '--b', 'y', '--name', 'p', '--name', 'q'], 2, ['--name q']],
    ['a setting twice', ['ab', ...tiny, '--a', 'x,workers=1,workers=3', '--b', 'y'], 2, ['workers=3', 'once']],
    ['a comma at the end', ['ab', ...tiny, '--a', 'x,', '--b', 'y'], 2, ['--a']],
    ['a side without a plugin', ['ab', ...tiny, '--a', 'workers=1', '--b', 'y'], 2, ['workers=1', 'plugin']],
    ['a policy twice', ['sweep', ...tiny, '--plugin', 'x', '--locks', 'none,none'], 2, ['--locks']],
    ['a number twice', ['sweep', ...tiny, '--plugin', 'x', '--workers', '1,1-2'], 2, ['--workers']],
    ['no such plugin', ['ab', ...tiny, '--a', 'cpu-reference', '--b', 'cuda-tomorrow'], 4, ['cuda-tomorrow']],
    ['a sweep of nothing', ['sweep', ...tiny], 2, ['--plugin']],
    ['a sweep of no workers', ['sweep', ...tiny, '--plugin', 'cpu-reference', '--workers', '2-1'], 2, ['--workers']],
    ['endure without a side', ['endure', ...tiny], 2, ['--side']],
  ]) {
    await t.check(name, () => {
      const result = bench(args);
      t.expectExit(result, status);
      for (const word of words) t.expect(result.stderr.includes(word), `no '${word}' in ${result.stderr}`);
    });
  }
  t.finish();
}

main();
