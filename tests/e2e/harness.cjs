'use strict';
// What the end-to-end tests share. Each test is `node TEST.cjs CUZK_RUN TOOLS`: the program under test and the folder
// whose node_modules has snarkjs.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const [program, tools] = process.argv.slice(2).map((argument) => path.resolve(argument));
const vectors = path.resolve(__dirname, '../vectors/circuits');
const circuits = ['bn128', 'bls12381'].flatMap((curve) =>
  ['multiplier', 'nopublic', 'poseidon2', 'multipublic', 'multipublic_O0'].map((name) => `${curve}/${name}`));

const work = fs.mkdtempSync(path.join(os.tmpdir(), 'cuzk-e2e-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

/** The path of a file of a vector circuit. */
const vector = (circuit, file) => path.join(vectors, circuit, file);

/** A path in this test's own folder, which goes with the process; folders on the way are made. */
function scratch(...names) {
  const file = path.join(work, ...names);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  return file;
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));

function writeJson(file, value) {
  fs.writeFileSync(file, JSON.stringify(value));
  return file;
}

/** Runs cuzk-run: {status, stdout, stderr}; a signal or a time-out is an exception. */
function cuzkRun(args, options = {}) {
  const result = spawnSync(program, args, { encoding: 'utf8', timeout: 120000, cwd: work, ...options });
  if (result.error) throw result.error;
  if (result.status === null) throw new Error(`cuzk-run ${args.join(' ')}: ended by ${result.signal}\n${result.stderr}`);
  return result;
}

let passed = 0;
const failures = [];

/** One case: passes unless body (may be async) throws. */
async function check(name, body) {
  try {
    await body();
    passed += 1;
  } catch (error) {
    failures.push(name);
    console.log(`FAILED ${name}: ${error.message}`);
  }
}

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

/** Throws unless cuzk-run left with this exit code. */
function expectExit(result, status) {
  expect(result.status === status,
    `exit code ${result.status}, expected ${status}\n${result.stdout}${result.stderr}`.trimEnd());
}

/** snarkjs's word on a proof; all three are paths. */
async function snarkjsVerifies(key, publicSignals, proof) {
  const snarkjs = require(path.join(tools, 'node_modules/snarkjs'));
  return snarkjs.groth16.verify(readJson(key), readJson(publicSignals), readJson(proof));
}

/** Ends the test: at least one case has passed and none failed. */
function finish() {
  console.log(`${passed} cases passed, ${failures.length} failed`);
  process.exit(failures.length === 0 && passed > 0 ? 0 : 1);
}

module.exports = { program, tools, circuits, vector, scratch, readJson, writeJson, cuzkRun, check, expect, expectExit, snarkjsVerifies, finish };
