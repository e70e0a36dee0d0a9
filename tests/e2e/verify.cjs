'use strict';
// cuzk-run --verify accepts snarkjs's proofs and refuses changed ones.
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
  t.finish();
}

main();
