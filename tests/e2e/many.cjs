'use strict';
// Several proofs in one run: every public.json belongs to its own witness, and what fails fails alone.
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const key = t.vector('bn128/multiplier', 'circuit.zkey');
const verificationKey = t.vector('bn128/multiplier', 'verification_key.json');

/** A .wtns of the multiplier: one, c = a b, a, b. Returns its path. */
function product(name, a, b, c = a * b) {
  const template = fs.readFileSync(t.vector('bn128/multiplier', 'witness.wtns'));
  const values = template.length - 4 * 32;
  [1n, c, a, b].forEach((value, i) => {
    for (let byte = 0; byte < 32; byte += 1) template[values + 32 * i + byte] = Number((value >> BigInt(8 * byte)) & 255n);
  });
  const file = t.scratch('witnesses', `${name}.wtns`);
  fs.writeFileSync(file, template);
  return file;
}

const publicOf = (folder, name) => t.readJson(path.join(folder, `${name}.public.json`));

async function main() {
  const names = [...Array(25).keys()].map((i) => `w${i}`);
  const witnesses = names.flatMap((name, i) => ['--witness', product(name, BigInt(1000 + i), BigInt(2000 + i))]);
  for (const args of [['--workers', '1'], ['--workers', '3'], ['--workers', '2', '--device', 'cpu:0,cpu:1', '--lock', 'none']]) {
    await t.check(`25 witnesses of one key, ${args.join(' ')}`, async () => {
      const folder = t.scratch('one', args.join('_'));
      const result = t.cuzkRun([key, ...witnesses, '--out-dir', folder, '--json', ...args]);
      t.expectExit(result, 0);
      t.expect(fs.readdirSync(folder).length === 50, 'expected two files a witness and no other');
      for (const [i, name] of names.entries()) {
        const expected = [String((1000 + i) * (2000 + i))];
        t.expect(JSON.stringify(publicOf(folder, name)) === JSON.stringify(expected), `${name}: another's public.json`);
      }
      for (const name of [names[0], names[12], names[24]]) {
        const files = ['public.json', 'proof.json'].map((file) => path.join(folder, `${name}.${file}`));
        t.expect(await t.snarkjsVerifies(verificationKey, ...files), `${name}: snarkjs refuses the proof`);
      }
      const json = JSON.parse(result.stdout);
      t.expect(json.proofs.length === 25 && json.proofs.every((proof) => proof.verified), 'the report');
      t.expect(json.devices.reduce((sum, device) => sum + device.proofs, 0) === 25, 'proofs by device');
    });
  }
  await t.check('two keys of two curves, each with its witnesses', async () => {
    const folder = t.scratch('two');
    const other = ['circuit.zkey', 'witness.wtns'].map((file) => t.vector('bls12381/poseidon2', file));
    t.expectExit(t.cuzkRun(['--key', key, '--witness', product('first', 3n, 5n), '--witness', product('second', 7n, 9n),
      '--key', other[0], '--witness', other[1], '--out-dir', folder, '--workers', '2']), 0);
    t.expect(publicOf(folder, 'first')[0] === '15' && publicOf(folder, 'second')[0] === '63', 'public signals');
    const files = ['witness.public.json', 'witness.proof.json'].map((file) => path.join(folder, file));
    t.expect(await t.snarkjsVerifies(t.vector('bls12381/poseidon2', 'verification_key.json'), ...files), 'poseidon2');
  });
  await t.check('what fails fails alone', () => {
    const folder = t.scratch('failing');
    const result = t.cuzkRun([key, '--witness', product('good', 3n, 4n), '--witness', product('bad', 3n, 4n, 13n),
      '--witness', t.scratch('witnesses', 'absent.wtns'), '--witness', product('also', 5n, 6n), '--out-dir', folder]);
    t.expectExit(result, 1);  // the first failure's
    t.expect(fs.readdirSync(folder).sort().join(' ') === 'also.proof.json also.public.json good.proof.json good.public.json',
      `found ${fs.readdirSync(folder)}`);
    const lines = result.stderr.trim().split('\n');
    t.expect(lines.length === 2 && lines[0].includes('bad.wtns') && lines[1].includes('absent.wtns'), result.stderr);
    t.expect(/4 proofs, 2 FAILED/.test(result.stdout), result.stdout);
  });
  await t.check('400 witnesses are checked before the first proof in no time', () => {
    const folder = t.scratch('four-hundred');
    const args = [...Array(400).keys()].flatMap((i) => ['--witness', t.scratch('absent', `${i}.wtns`)]);
    const start = Date.now();
    t.expectExit(t.cuzkRun([key, ...args, '--out-dir', folder]), 3);
    t.expect(Date.now() - start < 8000, `${Date.now() - start} ms`);
  });
  await t.check('a failure alone is reported as JSON, too', () => {
    const result = t.cuzkRun([key, t.scratch('absent.wtns'), t.scratch('p'), t.scratch('q'), '--json']);
    t.expectExit(result, 3);
    t.expect(JSON.parse(result.stdout).proofs[0].error.code === 'bad_input', result.stdout);
  });
  for (const [name, args, words] of [
    ['two witnesses of one name', [key, '--witness', product('same', 1n, 1n), '--witness', t.vector('bn128/multiplier', '../../x/same.wtns'), '--out-dir', 'd'], ['same.proof.json']],
    ['many witnesses without a folder', [key, '--witness', 'a.wtns', '--witness', 'b.wtns', 'p.json', 'q.json'], ['--out-dir']],
    ['outputs beside a folder', [key, '--witness', 'a.wtns', '--out-dir', 'd', 'p.json', 'q.json'], ['--out-dir']],
    ['a witness before its key', ['--witness', 'a.wtns', '--key', key, '--out-dir', 'd'], ['a.wtns']],
    ['a key without a witness', ['--key', key, '--witness', 'a.wtns', '--key', 'other.zkey', '--out-dir', 'd'], ['other.zkey']],
    ['a .r1cs for two keys', ['--key', key, '--witness', 'a.wtns', '--key', key, '--witness', 'b.wtns', '--r1cs', 'c.r1cs', '--out-dir', 'd'], ['--r1cs']],
    ['a .r1cs for a workload', ['--workload', 'dense:4', '--r1cs', 'c.r1cs'], ['--r1cs']],
    ['a format without an output', ['--workload', 'porep:4', '--proof-format', 'bellman'], ['--proof-format']],
    ['a key alone', [key], ['witness']],
    ['a witness alone', ['--witness', 'a.wtns'], ['key']],
  ]) {
    await t.check(name, () => {
      const result = t.cuzkRun(args);
      t.expectExit(result, 2);
      for (const word of words) t.expect(result.stderr.includes(word), `no '${word}' in ${result.stderr}`);
    });
  }
  t.finish();
}

main();
