#include "described.hpp"

#include "options.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace cuzk::run {
namespace {

namespace po = boost::program_options;

constexpr const char* kExamples = R"(cuzk-run makes Groth16 proofs and checks them before they leave.

Prove a circom circuit (the arguments are rapidsnark's and snarkjs's):
  cuzk-run circuit.zkey witness.wtns proof.json public.json
Prove many witnesses, two at a time; DIR gets NAME.proof.json and NAME.public.json of each NAME.wtns:
  cuzk-run circuit.zkey --witness 1.wtns --witness 2.wtns --witness 3.wtns --workers 2 --out-dir DIR
Of several circuits, each witness with the key before it:
  cuzk-run --key a.zkey --witness a1.wtns --witness a2.wtns --key b.zkey --witness b1.wtns --out-dir DIR
Filecoin's keys; the proof has 192 bytes:
  cuzk-run --params k.params --pce k.pce --witness w.wtns --proof-format bellman proof.bin
Without files: the sample circuit, or a synthetic one of 2^14 rows (its key is INSECURE), to try or to measure:
  cuzk-run
  cuzk-run --workload porep:14,partitions=3
  cuzk-run --workload dense:10 --write DIR      circuit.zkey, circuit.r1cs, ... for other provers
Choose who computes, or see who would:
  cuzk-run --plugin cpu-reference --lock none --threads 4 circuit.zkey ...
  cuzk-run --explain --device-memory 64MiB circuit.zkey
See where time goes, in Perfetto; try strategies on a card that is not there:
  cuzk-run --workload porep:12 --workers 2 --lock two-lock --timeline run.json
  cuzk-run --workload porep:10 --device-model card.json
  cuzk-run --simulate --workload porep:27 --device-model card.json --workers 3 --lock two-lock --timeline run.json
Check a proof, a witness; print a proof for a Solidity verifier:
  cuzk-run --verify verification_key.json public.json proof.json
  cuzk-run --check-witness circuit.r1cs witness.wtns
  cuzk-run --calldata public.json proof.json

Exit codes: 0 done, 1 no proof or it does not hold, 2 usage, 3 bad input file, 4 plugin or device not usable, 5 out of memory.
)";

}  // namespace

po::options_description described() {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  const auto texts = [](const char* name) { return po::value<std::vector<std::string>>()->value_name(name); };
  po::options_description what("What to prove");
  what.add_options()("key", texts("FILE"), "a .zkey; the witnesses after it are its own")(
      "witness", texts("FILE"), "a .wtns; may be repeated")("params", text("FILE"),
                                                            "a key as bellman writes it for Filecoin, with --pce")(
      "pce", text("FILE"), "the constraint matrices that belong to --params")(
      "workload", text("SPEC"),
      "a synthetic circuit of 2^K rows: dense:K or porep:K (10 partitions unless given), with options, as in "
      "porep:14,bits=0.9,partitions=3,curve=bn254,seed=7,rows=+1 (2^K + 1 rows); its key is made here and kept in "
      "~/.cache/cuzk")("out-dir", text("DIR"),
                       "write every proof and its public signals here, named after the witness")(
      "proof-format", text("FORMAT"),
      "of the proof, also for --verify: snarkjs (JSON, the default) or bellman (192 bytes, BLS12-381)")(
      "check-key", "check that every point of the key is in its subgroup")(
      "r1cs", text("FILE"),
      "constraints to name the violated one when a proof does not verify; default: the .r1cs beside the key")(
      "insecure-seed", text("N"), "r and s from this number: INSECURE, only to compare proofs bit by bit")(
      "no-verify", "let the proof leave unchecked; for benchmarks");
  po::options_description how("How");
  how.add_options()("plugin", text("NAME"), "start from this plugin's strategy; default: the best usable")(
      "staging", text("NAME"), "component that moves data, PLUGIN/NAME or NAME where only one has it")(
      "ntt", text("NAME"), "component for transforms and the quotient")("msm", text("NAME"),
                                                                        "component for multi-scalar multiplications")(
      "lock", text("NAME"), "lock policy: single-lock, two-lock, none, ...")(
      "plugin-path", texts("DIR"), "folder or file searched for plugins first; may be repeated")(
      "threads", text("N"), "CPU threads; default: as many as this process may use")(
      "workers", text("N"),
      "proofs at once on each device, beside those that the CPU prepares and finishes; default 1")(
      "bases", text("WHERE"),
      "resident: the key's points stay on the device where memory allows it, the default; streamed: they cross with "
      "every proof")("device", text("LIST"), "cpu:0, cpu:0,cpu:1, 0,1 or all: proofs go to all of them")(
      "device-memory", text("SIZE"), "most memory to hold of each device: bytes, or with KiB, MiB, GiB, TiB")(
      "host-memory", text("SIZE"),
      "most memory for vectors of proofs under way and for staging; fewer are prepared ahead")(
      "deadline", text("SECONDS"), "proofs that are not done so long after the keys are open fail")(
      "device-model", text("FILE"), "let cpu:N play a card: its memory, and the time its copies and kernels take");
  po::options_description other("Instead of proving");
  other.add_options()("verify", "check a proof")("check-witness", "check a witness against a .r1cs or a PCE")(
      "calldata", "print a proof as the arguments of a Solidity verifier")("explain",
                                                                           "print strategy and memory layout")(
      "simulate", "play the partitions of a porep workload on a --device-model; nothing is proved")(
      "write", text("DIR"), "write the files of a --workload");
  po::options_description output("Output");
  output.add_options()("json", "print the result as JSON (cuzk-run/1)")(
      "timeline", text("FILE"), "write every stage of every proof as a Chrome trace, for Perfetto")(
      "log-level", text("LEVEL"), "debug, info, warn, error or off; on stderr; default warn")("help,h", "print this")(
      "version", "print the version");
  po::options_description all;
  all.add(what).add(how).add(other).add(output);
  return all;
}

std::string help_text() {
  std::ostringstream out;
  out << kExamples << described();
  return out.str();
}

}  // namespace cuzk::run
