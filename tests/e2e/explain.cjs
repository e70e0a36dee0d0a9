'use strict';
// What a failure is put down to, what a key check finds, what --calldata prints; every option does what it says.
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const circuit = 'bn128/multipublic';
const [key, witness, r1cs] = ['circuit.zkey', 'witness.wtns', 'circuit.r1cs'].map((file) => t.vector(circuit, file));

function violating() {
  const bytes = fs.readFileSync(witness);
  bytes[12 + 12 + 40 + 12 + 32 * 5] ^= 1;
  const file = t.scratch('violating.wtns');
  fs.writeFileSync(file, bytes);
  return file;
}

async function main() {
  const bad = violating();
  const outputs = ['proof.json', 'public.json'].map((name) => t.scratch('out', name));
  let constraint;
  await t.check('--check-witness names the first violated constraint', () => {
    const result = t.cuzkRun(['--check-witness', r1cs, bad]);
    t.expectExit(result, 1);
    constraint = /violates constraint (\d+) of /.exec(result.stdout)[1];
    t.expectExit(t.cuzkRun(['--check-witness', r1cs, witness]), 0);
    t.expectExit(t.cuzkRun(['--check-witness', t.vector('bn128/nopublic', 'circuit.r1cs'), witness]), 3);
  });
  const beside = ['circuit.zkey', 'circuit.r1cs'].map((name) => t.scratch('beside', name));
  fs.copyFileSync(key, beside[0]);
  for (const [name, place, args, words] of [
    ['without a .r1cs', beside[0], [], ['does not verify', '--r1cs tells which']],
    ['with --r1cs', beside[0], ['--r1cs', r1cs], ['does not verify', 'CONSTRAINT']],
    ['with a .r1cs of another circuit', beside[0], ['--r1cs', t.vector('bn128/nopublic', 'circuit.r1cs')], ['does not verify', 'nopublic']],
  ]) {
    await t.check(`a violating witness, ${name}`, () => {
      const result = t.cuzkRun([place, bad, ...outputs, ...args]);
      t.expectExit(result, 1);
      for (const word of words) {
        const expected = word === 'CONSTRAINT' ? `violates constraint ${constraint} of ` : word;
        t.expect(result.stderr.includes(expected), `no '${expected}' in ${result.stderr}`);
      }
      t.expect(result.stderr.trim().split('\n').length === 1, 'more than one line');
    });
  }
  await t.check('a violating witness, with a .r1cs beside the key', () => {
    fs.copyFileSync(r1cs, beside[1]);
    const result = t.cuzkRun([beside[0], bad, ...outputs]);
    t.expectExit(result, 1);
    t.expect(result.stderr.includes(`violates constraint ${constraint} of ${beside[1]}`), result.stderr);
  });
  await t.check('a damaged key is told from a bad witness', () => {
    const bytes = fs.readFileSync(key);
    const place = t.scratch('damaged', 'circuit.zkey');
    // The first value of the coefficients: the proof is of another circuit.
    const sections = [];
    for (let at = 12; at < bytes.length; at += 12 + Number(bytes.readBigUInt64LE(at + 4))) sections.push([bytes.readUInt32LE(at), at + 12]);
    bytes[sections.find(([id]) => id === 4)[1] + 4 + 12] ^= 1;
    fs.writeFileSync(place, bytes);
    const result = t.cuzkRun([place, witness, ...outputs, '--r1cs', r1cs]);
    t.expectExit(result, 1);
    t.expect(result.stderr.includes('satisfies all') && result.stderr.includes('the key is damaged'), result.stderr);
  });
  await t.check('--check-key finds a point off the subgroup', () => {
    const folder = 'bls12381/multiplier';
    const good = fs.readFileSync(t.vector(folder, 'circuit.zkey'));
    const call = (place) => [place, t.vector(folder, 'witness.wtns'), ...outputs];
    t.expectExit(t.cuzkRun([...call(t.vector(folder, 'circuit.zkey')), '--check-key']), 0);
    const p = BigInt('0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab');
    const two = (2n << 384n) % p;  // (0, 2) has order 3
    let at = 12;
    while (good.readUInt32LE(at) !== 5) at += 12 + Number(good.readBigUInt64LE(at + 4));
    at += 12 + 2 * 96;
    good.fill(0, at, at + 96);
    for (let byte = 0; byte < 48; byte += 1) good[at + 48 + byte] = Number((two >> BigInt(8 * byte)) & 255n);
    const place = t.scratch('subgroup.zkey');
    fs.writeFileSync(place, good);
    const result = t.cuzkRun([...call(place), '--check-key']);
    t.expectExit(result, 3);
    t.expect(result.stderr.includes('section 5 (A): point 2 is not in the subgroup'), result.stderr);
    t.expect([0, 1].includes(t.cuzkRun(call(place)).status), 'without it, the verification alone has its word');
  });
  for (const name of ['multiplier', 'nopublic', 'multipublic']) {
    await t.check(`${name}: --calldata is snarkjs's`, async () => {
      const files = ['public.json', 'proof.json'].map((file) => t.vector(`bn128/${name}`, file));
      const result = t.cuzkRun(['--calldata', ...files]);
      t.expectExit(result, 0);
      const snarkjs = require(path.join(t.tools, 'node_modules/snarkjs'));
      const expected = await snarkjs.groth16.exportSolidityCallData(t.readJson(files[1]), t.readJson(files[0]));
      t.expect(result.stdout === `${expected}\n`, `found ${result.stdout}expected ${expected}`);
    });
  }
  await t.check('--calldata refuses another curve', () =>
    t.expectExit(t.cuzkRun(['--calldata', ...['public.json', 'proof.json'].map((file) => t.vector('bls12381/multiplier', file))]), 3));

  const explained = (args) => {
    const result = t.cuzkRun(['--explain', key, '--json', ...args]);
    t.expectExit(result, 0);
    return JSON.parse(result.stdout);
  };
  await t.check('options of --explain show in what it says', () => {
    const plain = explained([]);
    t.expect(plain.threads >= 1 && plain.devices[0].name === 'cpu:0' && plain.strategy.workers === 1, 'defaults');
    const other = explained(['--threads', '3', '--workers', '2', '--device', 'cpu:1', '--lock', 'none', '--msm', 'cpu-reference/pippenger']);
    t.expect(other.threads === 3 && other.strategy.workers === 2 && other.devices[0].name === 'cpu:1' && other.strategy.lock === 'interlocks/none', JSON.stringify(other.strategy));
    t.expect(other.devices[0].layout.total > plain.devices[0].layout.total, 'two workers take more');
    const least = explained([]).least_footprint;
    const tight = explained(['--device-memory', String(least)]);
    t.expect(tight.devices[0].layout.total <= least && tight.devices[0].layout.savings.length > 0, 'the least footprint is enough');
    t.expectExit(t.cuzkRun(['--explain', key, '--device-memory', String(least - 1)]), 5);
  });
  await t.check('--plugin-path to an empty folder takes nothing away', () => {
    fs.mkdirSync(t.scratch('empty', 'plugins'));
    explained(['--plugin-path', t.scratch('empty', 'plugins')]);
  });
  await t.check('--no-verify says so', () => {
    const result = t.cuzkRun([key, witness, ...outputs, '--no-verify']);
    t.expectExit(result, 0);
    t.expect(result.stdout.includes('NOT VERIFIED'), result.stdout);
  });
  await t.check('--log-level debug tells about plugins, off tells nothing', () => {
    t.expect(/plugins:/.test(t.cuzkRun(['--explain', key, '--log-level', 'debug']).stderr), 'no line');
    t.expect(t.cuzkRun(['--explain', key, '--log-level', 'off']).stderr === '', 'a line');
  });
  t.finish();
}

main();
