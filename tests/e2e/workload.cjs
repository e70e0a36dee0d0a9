'use strict';
// Synthetic circuits: proved here, and by snarkjs from the files that are written; marked insecure everywhere.
const fs = require('node:fs');
const path = require('node:path');
const t = require('./harness.cjs');

const cache = t.scratch('cache', 'keys');
const run = (args) => t.cuzkRun(args, { env: { ...process.env, CUZK_CACHE_DIR: cache } });

async function main() {
  const snarkjs = require(path.join(t.tools, 'node_modules/snarkjs'));
  for (const spec of ['dense:6', 'dense:6,curve=bls12-381', 'porep:7,partitions=3', 'porep:6,curve=bn254,partitions=1', 'dense:5,rows=-1', 'dense:5,rows=+1']) {
    await t.check(`${spec}: proved and marked insecure`, () => {
      const text = run(['--workload', spec]);
      t.expectExit(text, 0);
      t.expect(text.stdout.includes('INSECURE') && !text.stdout.includes('NOT VERIFIED'), text.stdout);
      const result = run(['--workload', spec, '--json', '--workers', '2']);
      t.expectExit(result, 0);
      const json = JSON.parse(result.stdout);
      t.expect(json.insecure && json.keys[0].insecure && json.proofs.every((proof) => proof.verified), result.stdout);
      t.expect(json.proofs.length === Number((/partitions=(\d+)/.exec(spec) ?? [0, 1])[1]), 'proofs');
    });
    await t.check(`${spec}: its files are snarkjs's`, async () => {
      const folder = t.scratch('files', spec);
      t.expectExit(run(['--workload', spec, '--write', folder]), 0);
      const files = fs.readdirSync(folder);
      const [zkey, r1cs, key] = ['circuit.zkey', 'circuit.r1cs', 'verification_key.json'].map((name) => path.join(folder, name));
      const witnesses = files.filter((name) => name.endsWith('.wtns')).map((name) => path.join(folder, name));
      t.expect(await snarkjs.wtns.check(r1cs, witnesses[0]), 'snarkjs finds a violated constraint');
      const made = await snarkjs.groth16.prove(zkey, witnesses[0]);
      t.expect(await snarkjs.groth16.verify(t.readJson(key), made.publicSignals, made.proof), 'snarkjs: prove, verify');
      const outputs = ['proof.json', 'public.json'].map((name) => path.join(folder, name));
      const result = run([zkey, witnesses[0], ...outputs, '--check-key']);
      t.expectExit(result, 0);
      t.expect(result.stdout.includes('INSECURE'), 'the mark is lost in the file');
      t.expect(await t.snarkjsVerifies(key, outputs[1], outputs[0]), 'snarkjs refuses the proof');
      if (!files.includes('circuit.params')) return;
      const proof = path.join(folder, 'proof.bin');
      t.expectExit(run(['--params', path.join(folder, 'circuit.params'), '--pce', path.join(folder, 'circuit.pce'), '--witness', witnesses[0], '--proof-format', 'bellman', proof]), 0);
      t.expect(fs.statSync(proof).size === 192, 'another size');
    });
  }
  await t.check('partitions have proofs and signals of their own', () => {
    const folder = t.scratch('partitions');
    t.expectExit(run(['--workload', 'porep:6,partitions=4', '--out-dir', folder]), 0);
    const signals = [0, 1, 2, 3].map((i) => fs.readFileSync(path.join(folder, `partition-${i}.public.json`), 'utf8'));
    t.expect(new Set(signals).size === 4, 'two partitions have the same public signals');
  });
  await t.check('as many partitions as there may be', () => {
    const folder = t.scratch('thousand');
    t.expectExit(run(['--workload', 'porep:4,partitions=1000', '--write', folder]), 0);
    t.expect(fs.readdirSync(folder).length === 1005, 'files are missing, or some were left');
  });
  await t.check('a damaged entry of the cache is made anew', () => {
    t.expectExit(run(['--workload', 'dense:7']), 0);
    const entry = fs.readdirSync(cache).filter((name) => name.includes('dense') && name.includes('7') && name.endsWith('.zkey')).map((name) => path.join(cache, name));
    t.expect(entry.length === 1, `found ${fs.readdirSync(cache)}`);
    const good = fs.readFileSync(entry[0]);
    const bad = Buffer.from(good);
    bad[bad.length >> 1] ^= 4;
    fs.writeFileSync(entry[0], bad);
    const result = run(['--workload', 'dense:7']);
    t.expectExit(result, 0);
    t.expect(/warning/.test(result.stderr), 'no warning');
    t.expect(fs.readFileSync(entry[0]).equals(good), 'the entry is still damaged');
  });
  for (const spec of ['dense', 'dense:', 'dense:x', 'dense:99', 'sparse:5', 'dense:5,bits=0.5', 'porep:5,bits=2', 'porep:5,partitions=0', 'dense:5,rows=2', 'dense:5,curve=p256', 'dense:5,seed', 'dense:5,']) {
    await t.check(`'${spec}' is refused`, () => {
      const result = run(['--workload', spec]);
      t.expectExit(result, 2);
      t.expect(/^cuzk-run: .*\n$/.test(result.stderr), result.stderr);
    });
  }
  t.finish();
}

main();
