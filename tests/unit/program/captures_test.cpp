// Which programs' live captures return after a time.
#include "program/captures.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace heddle {
namespace {

bool time_out(const std::string& body) {
  LLVMContext context;
  SMDiagnostic problem;
  auto module = parseAssemblyString("declare ptr @pcap_open_live(ptr, i32, i32, i32, ptr)\n"
                                    "declare ptr @pcap_create(ptr, ptr)\n"
                                    "declare i32 @pcap_set_timeout(ptr, i32)\n"
                                    "declare i32 @pcap_activate(ptr)\n"
                                    "define void @open(i32 %n, i1 %c, ptr %p) {\n" +
                                        body + " ret void }\n",
                                    problem, context);
  EXPECT_TRUE(module) << problem.getMessage().str();
  return module && captures_time_out(*module);
}

constexpr const char* create = "%h = call ptr @pcap_create(ptr %p, ptr %p)\n";
constexpr const char* set = "call i32 @pcap_set_timeout(ptr %h, i32 100)\n";
constexpr const char* activate = "call i32 @pcap_activate(ptr %h)\n";

TEST(CapturesTimeOut, OpenedAtOnce) {
  EXPECT_TRUE(time_out("call ptr @pcap_open_live(ptr %p, i32 9, i32 1, i32 20, ptr %p)\n"));
  EXPECT_FALSE(time_out("call ptr @pcap_open_live(ptr %p, i32 9, i32 1, i32 0, ptr %p)\n"));
  EXPECT_FALSE(time_out("call ptr @pcap_open_live(ptr %p, i32 9, i32 1, i32 %n, ptr %p)\n"));
}

TEST(CapturesTimeOut, CreatedSetAndActivated) {
  const std::string all = std::string(create) + set + activate;
  EXPECT_TRUE(time_out(all));
  EXPECT_FALSE(time_out(std::string(create) + activate));
  EXPECT_FALSE(
      time_out(all + "%g = call ptr @pcap_create(ptr %p, ptr %p)\ncall i32 @pcap_activate(ptr %g)\n"));
  EXPECT_FALSE(time_out(all + "call i32 @pcap_set_timeout(ptr %h, i32 0)\n"));
  EXPECT_FALSE(time_out(std::string(create) + "br i1 %c, label %a, label %b\na:\n" + set +
                        "br label %b\nb:\n" + activate));
}

} // namespace
} // namespace heddle
