#include "host/machine.h"
#include "scripts.h"
#include "verify/counters.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gmock/gmock.h>

using namespace heddle;
using testing::HasSubstr;

namespace {

void put(const std::string& path, const std::string& text) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)));
  llvm::cantFail(write_file(path, [&](llvm::raw_ostream& out) { out << text << '\n'; }));
}

TEST(Machine, IsDescribedFromProcAndSys) {
  test::Scripts scripts;
  const std::string& root = scripts.folder();
  put(root + "/proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU\nflags\t\t: fpu hypervisor sse\n");
  put(root + "/sys/class/dmi/id/sys_vendor", "Vendor");
  put(root + "/sys/class/dmi/id/product_name", "Cloud");
  std::string cache = root + "/sys/devices/system/cpu/cpu0/cache/index0/";
  put(cache + "level", "1");
  put(cache + "type", "Instruction");
  put(cache + "size", "64K");
  put(cache + "ways_of_associativity", "16");
  Machine machine = describe_machine(root);
  EXPECT_EQ(machine.cpu, "Test CPU");
  EXPECT_EQ(machine.hypervisor, "Vendor Cloud");
  EXPECT_THAT(machine.str(), HasSubstr("L1I 64K:16"));
  EXPECT_THAT(machine.str(), HasSubstr("virtual machine (Vendor Cloud)"));
}

TEST(Machine, WithoutTheFlagIsBareMetal) {
  test::Scripts scripts;
  put(scripts.folder() + "/proc/cpuinfo", "model name\t: Test CPU\nflags\t\t: fpu sse\n");
  EXPECT_THAT(describe_machine(scripts.folder()).str(), HasSubstr("no hypervisor"));
}

TEST(Counters, MissingPerfIsSaidPlainly) {
  Counters counters = Counters::probe("/nowhere/perf");
  EXPECT_FALSE(counters.usable());
  EXPECT_EQ(counters.why_not(), "no hardware counters on this machine: perf is not installed");
}

TEST(Counters, AReportWithoutCountsIsNotUsable) {
  test::Scripts scripts;
  Variant perf = scripts.variant("perf", "echo '<not supported>;;instructions;0;100.00;;' > $5");
  Counters counters = Counters::probe(perf.program);
  EXPECT_EQ(counters.why_not(), "no hardware counters on this machine: perf stat cannot count instructions");
}

TEST(Counters, AReportIsParsed) {
  test::Scripts scripts;
  Variant perf = scripts.variant("perf", "echo '123456;;instructions:u;5;100.00;;' > $5");
  EXPECT_TRUE(Counters::probe(perf.program).usable());
  auto counters =
      Counters::parse("# started on\n\n12;;L1-icache-load-misses;1;100;;\n<not counted>;;cycles;;\n");
  ASSERT_EQ(counters.size(), 1u);
  EXPECT_EQ(counters[0].name, "L1-icache-load-misses");
  EXPECT_EQ(counters[0].value, 12);
}

} // namespace
