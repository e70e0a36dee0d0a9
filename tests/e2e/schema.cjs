'use strict';
// What --json prints is what docs/schema/cuzk-run-1.json says, for every action; and that file can refuse.
const path = require('node:path');
const t = require('./harness.cjs');

const Ajv = require(path.join(t.tools, 'node_modules/ajv/dist/2020'));
const validate = new Ajv({ strict: false, allErrors: true }).compile(t.readJson(path.resolve(__dirname, '../../docs/schema/cuzk-run-1.json')));
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
  t.finish();
}

main();
