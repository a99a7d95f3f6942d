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

struct CachegrindAgreement : testing::TestWithParam<const char*> {};

TEST_P(CachegrindAgreement, WithinFifteenPerCent) {
  auto valgrind = llvm::sys::findProgramByName("valgrind");
  if (!valgrind) GTEST_SKIP() << "valgrind is not installed";

  test::Traced program(test::LargeProgram::source(300, 320));
  Trace trace = program.trace();
  ASSERT_EQ(trace.packets.size(), 320u);

  std::unique_ptr<llvm::Module> stamped = llvm::CloneModule(*program.code.module);
  stamp_blocks(*stamped);
  std::string linked = program.code.program(*stamped, "linked", {program.code.id_object(), test::runtime});
  FootprintMap map = llvm::cantFail(read_footprint(linked, program.table.size()));

  CacheGeometry geometry = llvm::cantFail(parse_geometries(GetParam()))[0];
  std::string out = program.code.file("cachegrind.out");
  ProcessOptions options;
  options.stdout_path = options.stderr_path = "/dev/null";
  auto run = llvm::cantFail(run_process(
      *valgrind,
      {"--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=" + out,
       "--I1=" + std::to_string(geometry.bytes) + "," + std::to_string(geometry.ways) + ",64", linked},
      options));
  ASSERT_EQ(run.exit_status, 0);

  Misses theirs = cachegrind_misses(out, *program.code.module);
  CacheResult ours = simulate_original(trace, map, geometry);
  ASSERT_GT(theirs.misses, 10000u);
  std::string figures = std::to_string(ours.misses) + " misses in " + std::to_string(ours.instructions) +
                        " instructions; Cachegrind " + std::to_string(theirs.misses) + " in " +
                        std::to_string(theirs.instructions);
  RecordProperty("figures", figures);
  EXPECT_NEAR(double(ours.instructions), double(theirs.instructions), 0.15 * double(theirs.instructions))
      << figures;
  EXPECT_NEAR(double(ours.misses), double(theirs.misses), 0.15 * double(theirs.misses)) << figures;
}

INSTANTIATE_TEST_SUITE_P(Geometry, CachegrindAgreement, testing::Values("32K:8", "64K:16"),
                         [](const auto& info) { return info.index ? "Large" : "Small"; });

} // namespace
} // namespace heddle
