// Simulated misses of the original order against Cachegrind's, on the same code and the same packets.
#include "large_program.h"
#include "profile/icache.h"
#include "profile/line_stamp.h"
#include "profile/machine_code.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"

namespace heddle {
namespace {

struct Misses {
  uint64_t instructions = 0, misses = 0;
};

// Adds up what a cachegrind.out file says of the functions defined in `module`.
Misses cachegrind_misses(const std::string& path, const llvm::Module& module) {
  auto buffer = llvm::cantFail(read_file(path));
  llvm::SmallVector<llvm::StringRef> lines, fields;
  buffer->getBuffer().split(lines, '\n');
  Misses sum;
  bool ours = false;
  size_t missed = 0;
  for (llvm::StringRef line : lines) {
    fields.clear();
    line.split(fields, ' ');
    if (line.consume_front("fn=")) {
      const llvm::Function* function = module.getFunction(line);
      ours = function && !function->isDeclaration();
    } else if (fields[0] == "events:") {
      missed = size_t(llvm::find(fields, "I1mr") - fields.begin());
    } else if (ours && !line.empty() && llvm::isDigit(line[0]) && missed < fields.size()) {
      uint64_t value = 0;
      fields[1].getAsInteger(10, value);
      sum.instructions += value;
      fields[missed].getAsInteger(10, value);
      sum.misses += value;
    }
  }
  return sum;
}

// Runs `program` under Cachegrind with this level-1 instruction cache.
Misses run_cachegrind(const std::string& valgrind, const std::string& program, const test::Code& code,
                      const CacheGeometry& cache) {
  std::string out = code.file("cachegrind.out");
  ProcessOptions options;
  options.stdout_path = "/dev/null";
  options.stderr_path = code.file("valgrind.log");
  std::string i1 = std::to_string(cache.bytes) + "," + std::to_string(cache.ways) + ",64";
  auto run = llvm::cantFail(run_process(
      valgrind,
      {"--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=" + out, "--I1=" + i1, program},
      options));
  EXPECT_EQ(run.exit_status, 0) << llvm::cantFail(read_file(options.stderr_path))->getBuffer().str();
  return run.exit_status ? Misses{} : cachegrind_misses(out, *code.module);
}

void expect_within_15_per_cent(const CacheResult& ours, const Misses& theirs, const std::string& geometry) {
  std::string figures = geometry + ": " + std::to_string(ours.misses) + " misses in " +
                        std::to_string(ours.instructions) + " instructions; Cachegrind " +
                        std::to_string(theirs.misses) + " in " + std::to_string(theirs.instructions);
  std::cout << "[ figures  ] " << figures << '\n';
  EXPECT_GT(theirs.misses, 10000u) << figures;
  EXPECT_NEAR(double(ours.instructions), double(theirs.instructions), 0.15 * double(theirs.instructions))
      << figures;
  EXPECT_NEAR(double(ours.misses), double(theirs.misses), 0.15 * double(theirs.misses)) << figures;
}

TEST(CachegrindAgreement, WithinFifteenPerCent) {
  auto valgrind = llvm::sys::findProgramByName("valgrind");
  if (!valgrind) GTEST_SKIP() << "valgrind is not installed";

  test::Traced program(test::LargeProgram::source(300, 320));
  Trace trace = program.trace();
  ASSERT_EQ(trace.packets.size(), 320u);

  std::unique_ptr<llvm::Module> stamped = llvm::CloneModule(*program.code.module);
  stamp_blocks(*stamped);
  std::string linked = program.code.program(*stamped, "linked", {test::runtime});
  FootprintMap map = llvm::cantFail(read_footprint(linked, program.table.size()));
  // Valgrind 3.19 gives up on the DWARF 5 of the profile runtime; symbols are enough.
  std::string stripped = program.code.file("stripped");
  test::tool("llvm-strip", {"--strip-debug", linked, "-o", stripped});

  for (const CacheGeometry& cache : llvm::cantFail(parse_geometries("32K:8,64K:16,128K:8")))
    expect_within_15_per_cent(simulate_original(trace, map, cache),
                              run_cachegrind(*valgrind, stripped, program.code, cache), cache.str());
}

} // namespace
} // namespace heddle
