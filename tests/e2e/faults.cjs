'use strict';
// A plugin whose calls go wrong, on the program: exit codes, what is said, what is written. Third argument: the plugin
// "flaky" (tests/engine/flaky).
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const flaky = path.resolve(process.argv[4]);
const Ajv = require(path.join(t.tools, 'node_modules/ajv/dist/2020'));
const validate = new Ajv({ strict: false }).compile(t.readJson(path.resolve(__dirname, '../../docs/schema/cuzk-run-1.json')));
const circuit = 'bn128/multiplier';
const inputs = ['circuit.zkey', 'witness.wtns'].map((file) => t.vector(circuit, file));
const [error, lost] = ['6', '7'];  // CUZK_DEVICE_ERROR, CUZK_DEVICE_LOST
const forEver = '1000000';

/** Environment in which the calls from `first` to `last` go wrong. */
const wrong = (first, last, answer, more = {}) => ({ env: { ...process.env, CUZK_FLAKY_FIRST: first, CUZK_FLAKY_LAST: last, CUZK_FLAKY_ANSWER: answer, ...more } });

function run(name, args, options) {
  const outputs = ['proof.json', 'public.json'].map((file) => t.scratch(name, file));
  const result = t.cuzkRun([...inputs, ...outputs, '--plugin-path', flaky, '--plugin', 'flaky', ...args], options);
  return { ...result, outputs, files: fs.readdirSync(path.dirname(outputs[0])).sort().join(' ') };
}

function expectOneLine(result, ...words) {
  t.expect(result.stderr.trim().split('\n').length === 1, `expected one line\n${result.stderr}`);
  for (const word of words) t.expect(result.stderr.includes(word), `no '${word}' in ${result.stderr}`);
}

async function main() {
  await t.check('a failure is made up for, and said, in both forms', async () => {
    const text = run('once', [], wrong('22', '22', error));
    t.expectExit(text, 0);
    t.expect(/proof +verified, by the plainest path on flaky:0 after: .*injected at call 22/.test(text.stdout), text.stdout);
    expectOneLine(text, 'injected at call 22', 'once more, by the plainest path');
    t.expect(await t.snarkjsVerifies(t.vector(circuit, 'verification_key.json'), text.outputs[1], text.outputs[0]), 'snarkjs');
    const json = JSON.parse(run('json', ['--json'], wrong('22', '22', error)).stdout);
    t.expect(validate(json), JSON.stringify(validate.errors));
    const proof = json.proofs[0];
    t.expect(proof.verified && proof.plainest && proof.device === 'flaky:0' && proof.failures.length === 1, JSON.stringify(proof));
  });
  await t.check('what fails twice is an error and leaves no file', () => {
    const result = run('twice', ['--log-level', 'error'], wrong('22', forEver, error));
    t.expectExit(result, 1);
    t.expect(result.files === '', result.files);
    expectOneLine(result, 'before that', 'injected at call 22');
  });
  await t.check('a lost device ends the run with exit code 4', () => {
    const result = run('lost', [], wrong('22', '22', lost));
    t.expectExit(result, 4);
    t.expect(result.files === '', result.files);
    expectOneLine(result, 'device flaky:0 is lost; the process must be restarted');
  });
  await t.check('or its proof moves to another device that was asked for', () => {
    const result = run('moved', ['--json', '--device', 'flaky:0,flaky:1'], wrong('22', '22', lost));
    t.expectExit(result, 0);
    const json = JSON.parse(result.stdout);
    t.expect(validate(json), JSON.stringify(validate.errors));
    t.expect(json.proofs[0].device === 'flaky:1' && !json.proofs[0].plainest, JSON.stringify(json.proofs[0]));
    expectOneLine(result, 'device flaky:0 is lost; the process must be restarted');
  });
  await t.check('what never ends ends at the deadline', () => {
    const result = run('late', ['--deadline', '1'], wrong('22', forEver, error, { CUZK_FLAKY_HANG: '1' }));
    t.expectExit(result, 1);
    t.expect(result.files === '', result.files);
    expectOneLine(result, 'not proved in the time that its job has');
  });
  await t.check('or when it is interrupted', async () => {
    const outputs = ['proof.json', 'public.json'].map((file) => t.scratch('hung', file));
    const child = spawn(t.program, [...inputs, ...outputs, '--plugin-path', flaky, '--plugin', 'flaky'],
      { ...wrong('22', forEver, error, { CUZK_FLAKY_HANG: '1' }), stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.on('data', (data) => { stderr += data; });
    const end = new Promise((resolve) => { child.on('close', (status) => resolve(status)); });
    setTimeout(() => child.kill('SIGTERM'), 500);
    t.expect(await end === 1 && stderr === 'cuzk-run: interrupted by SIGTERM\n', stderr);
    t.expect(fs.readdirSync(path.dirname(outputs[0])).length === 0, 'files');
  });
  await t.check('host memory is planned and refused with both figures', () => {
    const planned = (args) => JSON.parse(t.cuzkRun([...inputs, ...['a', 'b'].map((f) => t.scratch('host', f)), '--json', ...args]).stdout);
    const { worker, workers, partition, in_flight: most } = planned([]).devices[0].host;
    t.expect(most === 3, `${most} in flight`);
    const least = worker * workers + partition;
    for (const room of [2, 1]) {
      const json = planned(['--host-memory', String(least + (room - 1) * partition)]);
      t.expect(json.devices[0].host.in_flight === room, JSON.stringify(json.devices[0].host));
      t.expect(json.summary.host_high_water <= least + (room - 1) * partition, `${json.summary.host_high_water}`);
    }
    const result = t.cuzkRun([...inputs, ...['c', 'd'].map((f) => t.scratch('refused', f)), '--host-memory', String(least - 1)]);
    t.expectExit(result, 5);
    for (const word of [least, least - 1, '--host-memory']) t.expect(result.stderr.includes(word), result.stderr);
    t.expect(fs.readdirSync(t.scratch('refused')).length === 0, 'files');
  });
  t.finish();
}

main();
