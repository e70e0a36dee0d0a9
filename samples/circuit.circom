pragma circom 2.0.0;

// "I know a leaf of the Merkle tree with this root, and its place": 256 leaves, the root is public, all else private.
// The hash is made for this sample, short so that its key is small: show nothing that matters with it.

// Round constants of the permutation below: c_0 = 1, c_(k+1) = c_k^3 + k + 1.
function round_constant(k) {
    var c = 1;
    for (var i = 0; i < k; i++) {
        c = c * c * c + i + 1;
    }
    return c;
}

// x^5, a permutation of the field as 5 does not divide r - 1 (true of BN254 and BLS12-381): 3 constraints.
template FifthPower() {
    signal input in;
    signal output out;
    signal square <== in * in;
    signal fourth <== square * square;
    out <== fourth * in;
}

// Two field elements to one. A substitution-permutation network of width 2 (each round: add constants, x^5 to both,
// multiply by the matrix 2 1 / 1 3), and the left input added to its first output, so that it can't be run backwards.
template Compress(rounds) {
    signal input left;
    signal input right;
    signal output out;
    signal state[rounds + 1][2];
    component power[rounds][2];

    state[0][0] <== left;
    state[0][1] <== right;
    for (var r = 0; r < rounds; r++) {
        for (var i = 0; i < 2; i++) {
            power[r][i] = FifthPower();
            power[r][i].in <== state[r][i] + round_constant(2 * r + i);
        }
        state[r + 1][0] <== 2 * power[r][0].out + power[r][1].out;
        state[r + 1][1] <== power[r][0].out + 3 * power[r][1].out;
    }
    out <== state[rounds][0] + left;
}

// The root above a leaf. Bit i of the place says whether the node of height i is a right child.
template MerkleRoot(depth, rounds) {
    signal input leaf;
    signal input place_bits[depth];
    signal input siblings[depth];
    signal output root;
    signal node[depth + 1];
    signal left[depth];
    component hash[depth];

    node[0] <== leaf;
    for (var i = 0; i < depth; i++) {
        place_bits[i] * (place_bits[i] - 1) === 0;
        left[i] <== node[i] + place_bits[i] * (siblings[i] - node[i]);
        hash[i] = Compress(rounds);
        hash[i].left <== left[i];
        hash[i].right <== node[i] + siblings[i] - left[i];
        node[i + 1] <== hash[i].out;
    }
    root <== node[depth];
}

component main = MerkleRoot(8, 9);
