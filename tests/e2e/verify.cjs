'use strict';
// cuzk-run --verify accepts snarkjs's proofs and refuses changed ones.
const fs = require('node:fs');
const t = require('./harness.cjs');

const modulus = { // of the coordinates
  bn128: 21888242871839275222246405745257275088696311157297823662689037894645226208583n,
  bls12381: 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn,
};

function verify(circuit, publicSignals, proof) {
  return t.cuzkRun(['--verify', t.vector(circuit, 'verification_key.json'), publicSignals, proof]);
}

/** The proof with `change` applied to a copy; returns its path. */
function changed(circuit, name, change) {
  const proof = t.readJson(t.vector(circuit, 'proof.json'));
  change(proof);
  return t.writeJson(t.scratch(circuit, `${name}.json`), proof);
}

/** What is no proof of this key: exit code 3 and one line that names the files and what was found. */
async function refusals() {
  const circuit = 'bn128/multiplier';
  const files = ['verification_key.json', 'public.json', 'proof.json'].map((file) => t.vector(circuit, file));
  const refused = (name, replaced, words) => t.check(name, () => {
    const result = t.cuzkRun(['--verify', ...files.map((file, i) => replaced[i] ?? file)]);
    t.expectExit(result, 3);
    t.expect(result.stdout === '' && /^cuzk-run: .*\n$/.test(result.stderr), `found '${result.stdout}${result.stderr}'`);
    for (const word of words) t.expect(result.stderr.includes(word), `no '${word}' in '${result.stderr}'`);
  });
  for (const i of files.keys()) {
    const padded = t.scratch('padded', `${i}.json`);
    fs.writeFileSync(padded, Buffer.concat([fs.readFileSync(files[i]), Buffer.from('\0garbage')]));
    await refused(`a zero byte and more behind file ${i}`, { [i]: padded }, [padded, 'zero byte']);
  }
  const two = t.writeJson(t.scratch('two.json'), ['33', '33']);
  await refused('two signals for one', { 1: two }, [two, files[0], 'found 2 public signals, expected 1']);
  const large = t.scratch('large.json');
  fs.writeFileSync(large, `["33"${' '.repeat(1 << 20)}]`);
  await refused('a file too large for one signal', { 1: large }, [large, 'bytes, expected at most']);
  const foreign = t.vector('bls12381/multiplier', 'proof.json');
  await refused('a proof on another curve', { 2: foreign }, [foreign, files[0], 'bls12-381', 'bn254']);
  await refused('a name with control characters', { 0: 'a\nb\x1b[31m' }, ['a\\nb\\x1b[31m']);
}

async function main() {
  for (const circuit of t.circuits) {
    const proof = t.vector(circuit, 'proof.json');
    const publicSignals = t.vector(circuit, 'public.json');
    const q = modulus[circuit.split('/')[0]];
    const negate = (point) => { point[1] = `${q - BigInt(point[1])}`; };

    await t.check(`${circuit}: accepts snarkjs's proof`, () => t.expectExit(verify(circuit, publicSignals, proof), 0));

    const changes = {
      negated_a: (p) => negate(p.pi_a),
      negated_c: (p) => negate(p.pi_c),
      a_is_c: (p) => { p.pi_a = p.pi_c; },
      a_at_infinity: (p) => { p.pi_a = ['0', '1', '0']; },
    };
    for (const [name, change] of Object.entries(changes)) {
      await t.check(`${circuit}: refuses ${name}`, () =>
        t.expectExit(verify(circuit, publicSignals, changed(circuit, name, change)), 1));
    }

    const signals = t.readJson(publicSignals);
    for (const i of signals.keys()) {
      await t.check(`${circuit}: refuses public signal ${i} + 1`, () => {
        const other = signals.map((signal, j) => (i === j ? `${BigInt(signal) + 1n}` : signal));
        t.expectExit(verify(circuit, t.writeJson(t.scratch(circuit, `public${i}.json`), other), proof), 1);
      });
    }
  }
  await refusals();
  t.finish();
}

main();
