'use strict';
// What goes wrong leaves with its exit code and one message, and no output file behind.
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const circuit = 'bn128/poseidon2';
const key = t.vector(circuit, 'circuit.zkey');
const witness = t.vector(circuit, 'witness.wtns');

/** A copy of a file with `change` applied to its bytes; returns its path. */
function changed(file, name, change) {
  const copy = t.scratch('inputs', name);
  fs.writeFileSync(copy, change(fs.readFileSync(file)));
  return copy;
}

/** A witness file with bit 0 of value `index` flipped. */
function flipValue(bytes, index) {
  const header = 12;
  const section1 = 12 + 40;
  bytes[header + section1 + 12 + 32 * index] ^= 1;
  return bytes;
}

const cases = [
  // name, exit code, arguments before the outputs, arguments after them
  ['key cut short', 3, [changed(key, 'cut.zkey', (b) => b.subarray(0, b.length / 2)), witness]],
  ['witness cut short', 3, [key, changed(witness, 'cut.wtns', (b) => b.subarray(0, b.length - 1))]],
  ['key and witness exchanged', 3, [witness, key]],
  ['key is absent', 3, [t.scratch('inputs', 'absent.zkey'), witness]],
  ['witness of another circuit', 3, [key, t.vector('bn128/multipublic', 'witness.wtns')]],
  ['witness of another curve', 3, [key, t.vector('bls12381/poseidon2', 'witness.wtns')]],
  ['witness that violates a constraint', 1, [key, changed(witness, 'other.wtns', (b) => flipValue(b, 5))]],
  ['unknown option', 2, [key, witness], ['--no-such-option']],
  ['threads is no number', 2, [key, witness], ['--threads', 'many']],
  ['threads is zero', 2, [key, witness], ['--threads', '0']],
  ['unknown plugin', 4, [key, witness], ['--plugin', 'no-such-plugin']],
];

/** A call refused with one line that has all the words. */
function refused(result, status, words) {
  t.expectExit(result, status);
  t.expect(/^cuzk-run: .*\n$/.test(result.stderr), `found '${result.stderr}'`);
  for (const word of words) t.expect(result.stderr.includes(word), `no '${word}' in '${result.stderr}'`);
}

/** Outputs that cannot be are refused before the proof: not even the plugins are searched, or the log would say so. */
async function outputs() {
  const names = (folder) => fs.readdirSync(folder).sort().join(' ');
  await t.check('output folder is absent', () => {
    const absent = t.scratch('outputs', 'absent') + '/proof.json';
    refused(t.cuzkRun(['--log-level', 'debug', key, witness, absent, t.scratch('outputs', 'public.json')]), 1, [absent, 'No such file']);
    t.expect(!fs.existsSync(t.scratch('outputs', 'public.json')), 'public.json was left behind');
  });
  const folder = path.dirname(t.scratch('same', 'circuit.zkey'));
  const [inKey, inWitness] = ['circuit.zkey', 'witness.wtns'].map((file) => path.join(folder, file));
  fs.copyFileSync(key, inKey);
  fs.copyFileSync(witness, inWitness);
  fs.linkSync(inKey, path.join(folder, 'hard'));
  fs.symlinkSync('witness.wtns', path.join(folder, 'soft'));
  fs.symlinkSync('.', path.join(folder, 'here'));
  const before = names(folder);
  for (const [name, input] of [['circuit.zkey', inKey], ['./witness.wtns', inWitness], ['hard', inKey], ['soft', inWitness], ['here/circuit.zkey', inKey]]) {
    for (const place of [0, 1]) {
      await t.check(`output ${place} is the input ${name}`, () => {
        const paths = [`${folder}/other.json`, `${folder}/other.json`];
        paths[place] = `${folder}/${name}`;
        refused(t.cuzkRun([inKey, inWitness, ...paths]), 2, [paths[place], input]);
        t.expect(fs.readFileSync(inKey).equals(fs.readFileSync(key)) && fs.readFileSync(inWitness).equals(fs.readFileSync(witness)), 'an input has changed');
      });
    }
  }
  for (const other of ['out.json', './out.json', '/out.json', 'here/out.json', '../same/out.json']) {
    await t.check(`one output under two names, ${other}`, () =>
      refused(t.cuzkRun([inKey, inWitness, `${folder}/out.json`, `${folder}/${other}`]), 2, [`${folder}/${other}`]));
  }
  t.expect(names(folder) === before, `found ${names(folder)}, expected ${before}`);
  await t.check('names of 255 bytes', () => {
    const paths = ['p', 'q'].map((letter) => t.scratch('long', letter.repeat(255)));
    t.expectExit(t.cuzkRun([key, witness, ...paths]), 0);
  });
  await t.check('a pipe is no circuit', () => {
    const pipe = t.scratch('pipe');
    require('node:child_process').execFileSync('mkfifo', [pipe]);
    refused(t.cuzkRun(['--check-witness', pipe, witness]), 3, [pipe, 'found a pipe']);
  });
  for (const [name, text] of [['an array', '[0,'.repeat(1) + '0,'.repeat(8 << 20) + '0]'], ['names', `{${[...Array(1 << 20).keys()].map((i) => `"k${i}":0`).join(',')}}`]]) {
    await t.check(`a large file of ${name} is refused quickly`, () => {
      const file = t.scratch('large.json');
      fs.writeFileSync(file, text);
      const start = Date.now();
      t.expectExit(t.cuzkRun(['--verify', file, file, file]), 3);
      t.expectExit(t.cuzkRun(['--calldata', file, file]), 3);
      t.expect(Date.now() - start < 6000, `${Date.now() - start} ms`);
    });
  }
  for (const stream of ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']) {
    await t.check(`an output is ${stream}`, () =>
      refused(t.cuzkRun([key, witness, stream, t.scratch('stream', 'public.json')]), 1, [stream, 'cannot write']));
  }
  await t.check('standard output is full', () => {
    const paths = ['proof.json', 'public.json'].map((file) => t.scratch('full', file));
    const full = fs.openSync('/dev/full', 'w');
    const result = t.cuzkRun([key, witness, ...paths], { stdio: ['ignore', full, 'pipe'] });
    fs.closeSync(full);
    refused(result, 1, ['standard output could not be written; written were', ...paths]);
    for (const file of paths) t.readJson(file);
  });
}

async function main() {
  for (const [index, [name, status, inputs, rest = []]] of cases.entries()) {
    await t.check(name, () => {
      const proof = t.scratch('outputs', `${index}`, 'proof.json');
      const folder = path.dirname(proof);
      const result = t.cuzkRun([...inputs, proof, path.join(folder, 'public.json'), ...rest]);
      t.expectExit(result, status);
      t.expect(result.stderr.trim() !== '', 'no message on stderr');
      const left = fs.readdirSync(folder);
      t.expect(left.length === 0, `left behind: ${left.join(', ')}`);
    });
  }
  for (const [name, args] of [
    ['a second file with --explain', ['--explain', key, witness]],
    ['a log level with --verify', ['--verify', '--log-level', 'debug', key, key, key]],
    ['an empty plugin', ['--explain', '--plugin', '', key]],
    ['an empty component', ['--explain', '--msm', '', key]],
    ['an empty plugin path', ['--explain', '--plugin-path', '', key]],
    ['an empty file', ['--explain', '']],
    ['an option cut short', ['--explain', '--thread', '1', key]],
    ['a device number in another spelling', ['--explain', '--device', 'cpu:00', key]],
    ['more threads than there may be', ['--explain', '--threads', '1025', key]],
  ]) {
    await t.check(name, () => {
      const result = t.cuzkRun(args);
      t.expectExit(result, 2);
      t.expect(/^cuzk-run: .*\n$/.test(result.stderr), `found '${result.stderr}'`);
    });
  }
  await t.check('the log says what was found and taken', () => {
    const log = (level) => t.cuzkRun(['--explain', '--log-level', level, key]).stderr;
    t.expect(log('warn') === '', 'something at warn');
    t.expect(/^info: strategy: /m.test(log('info')) && /^info: memory: .*savings: /m.test(log('info')), log('info'));
    t.expect(!/^debug/m.test(log('info')) && /^debug: plugins: .*: ok: cpu-reference$/m.test(log('debug')), log('debug'));
  });
  await t.check('the least memory that proves, from --explain', () => {
    const explain = t.cuzkRun(['--explain', '--json', key]);
    const least = JSON.parse(explain.stdout).least_footprint;
    const prove = (memory, name) => t.cuzkRun([key, witness, t.scratch(name, 'p'), t.scratch(name, 'q'), '--device-memory', `${memory}`]);
    t.expectExit(prove(least, 'enough'), 0);
    refused(prove(least - 1, 'less'), 5, [`${least} bytes`]);
  });
  await t.check('as many threads as there may be', () => t.expectExit(t.cuzkRun(['--explain', '--threads', '1024', key]), 0));
  await outputs();
  t.finish();
}

main();
