'use strict';
// What --json prints is what docs/schema/cuzk-run-1.json says, for every action; and that file can refuse.
const path = require('node:path');
const t = require('./harness.cjs');

const Ajv = require(path.join(t.tools, 'node_modules/ajv/dist/2020'));
const root = path.resolve(__dirname, '../..');
const schema = (name) => new Ajv({ strict: false, allErrors: true }).compile(t.readJson(path.join(root, 'docs/schema', name)));
const validate = schema('cuzk-run-1.json');
const validTimeline = schema('cuzk-timeline-1.json');
const validModel = schema('cuzk-device-model-1.json');
const card = (name) => path.join(root, 'samples/device-models', name);
const circuit = 'bn128/multiplier';
const [key, witness, verificationKey, publicSignals, proof, r1cs] = ['circuit.zkey', 'witness.wtns', 'verification_key.json', 'public.json', 'proof.json', 'circuit.r1cs'].map((file) => t.vector(circuit, file));
const cache = { env: { ...process.env, CUZK_CACHE_DIR: t.scratch('cache', 'x') } };

function valid(args, status = 0) {
  const result = t.cuzkRun([...args, '--json'], cache);
  t.expectExit(result, status);
  const json = JSON.parse(result.stdout);
  t.expect(validate(json), JSON.stringify(validate.errors));
  return json;
}

const cases = [
  ['prove', [key, witness, t.scratch('p.json'), t.scratch('q.json')]],
  ['prove the sample', []],
  ['prove with little memory on two devices', [key, witness, t.scratch('p2.json'), t.scratch('q2.json'), '--device', 'cpu:0,cpu:1', '--device-memory', '1MiB']],
  ['explain', ['--explain', key]],
  ['prove a workload', ['--workload', 'porep:5,partitions=2']],
  ['prove on a card that cpu:0 plays', ['--workload', 'porep:5,partitions=2', '--device-model', card('card-16gib.json'), '--lock', 'two-lock']],
  ['prove with an experiment', ['--workload', 'porep:5,partitions=2', '--lock', 'two-lock-naive']],
  ['simulate', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-139gib.json'), '--lock', 'two-lock', '--workers', '3']],
  ['simulate what fails', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-16gib.json'), '--lock', 'two-lock-naive', '--workers', '3'], 5],
  ['write', ['--workload', 'dense:4', '--write', t.scratch('files')]],
  ['verify', ['--verify', verificationKey, publicSignals, proof]],
  ['verify what does not hold', ['--verify', verificationKey, publicSignals, t.vector('bn128/nopublic', 'proof.json')], 1],
  ['check a witness', ['--check-witness', r1cs, witness]],
  ['a failure among proofs', [key, '--witness', witness, '--witness', t.scratch('absent.wtns'), '--out-dir', t.scratch('out')], 3],
];

async function main() {
  let proved;
  for (const [name, args, status] of cases) {
    await t.check(name, () => {
      const json = valid(args, status);
      if (name === 'prove') proved = json;
    });
  }
  for (const [name, change] of [
    ['a field of no meaning', (json) => { json.proofs[0].surprise = 1; }],
    ['a missing field', (json) => { delete json.strategy.msm; }],
    ['another schema', (json) => { json.schema = 'cuzk-run/2'; }],
    ['a text for a number', (json) => { json.total_ns = '1'; }],
  ]) {
    await t.check(`the schema refuses ${name}`, () => {
      const json = structuredClone(proved);
      change(json);
      t.expect(!validate(json), 'it was accepted');
    });
  }
  for (const name of ['card-16gib.json', 'card-139gib.json']) {
    await t.check(`the model ${name}`, () => t.expect(validModel(t.readJson(card(name))), JSON.stringify(validModel.errors)));
  }
  await t.check('a model without its memory is refused by schema and program', () => {
    const model = t.readJson(card('card-16gib.json'));
    delete model.memory;
    t.expect(!validModel(model), 'it was accepted');
    const file = t.writeJson(t.scratch('model.json'), model);
    const result = t.cuzkRun(['--workload', 'porep:5', '--device-model', file]);
    t.expectExit(result, 3);
    t.expect(result.stderr.includes('model.json: memory is missing'), result.stderr);
  });
  await t.check('timelines of a run and of a simulation', () => {
    for (const [name, args] of [
      ['run', ['--workload', 'porep:6,partitions=4', '--workers', '2', '--lock', 'two-lock', '--device', 'cpu:0,cpu:1']],
      ['played', ['--workload', 'porep:6,partitions=3', '--workers', '2', '--lock', 'two-lock', '--device-model', card('card-16gib.json')]],
      ['simulated', ['--simulate', '--workload', 'porep:27', '--device-model', card('card-139gib.json'), '--lock', 'two-lock', '--workers', '2']],
    ]) {
      const file = t.scratch(`${name}.trace.json`);
      valid([...args, '--timeline', file]);
      const trace = t.readJson(file);
      t.expect(validTimeline(trace), JSON.stringify(validTimeline.errors));
      const spans = trace.traceEvents.filter((event) => event.ph === 'X');
      const has = (what) => t.expect(spans.some((event) => event.name === what), `${name}: no '${what}'`);
      ['evaluate', 'wait stage', 'in stage', 'wait compute', 'in compute', 'finish'].forEach(has);
      if (name !== 'simulated') ['stage', 'quotient', 'msm h', 'msm witness', 'verify'].forEach(has);
      if (name !== 'run') t.expect(spans.some((e) => e.cat === 'kernel') && spans.some((e) => e.cat === 'upload' && e.args.bytes > 0), name);
      const noOverlap = new Map();
      for (const event of spans) {
        const track = `${event.pid} ${event.tid}`;
        const open = (noOverlap.get(track) ?? []).filter((end) => end > event.ts + 1e-6);
        t.expect(open.every((end) => event.ts + event.dur <= end + 1e-3), `${name}: ${event.name} overlaps on track ${track}`);
        noOverlap.set(track, [...open, event.ts + event.dur]);
      }
      trace.traceEvents[0].surprise = 1;
      t.expect(!validTimeline(trace), 'the schema refuses nothing');
    }
  });
  t.finish();
}

main();
