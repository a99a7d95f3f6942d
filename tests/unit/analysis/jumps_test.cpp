// A jump out of the packet loop needs a frame to go to.
#include "body.h"

#include <gmock/gmock.h>

using testing::HasSubstr;
using testing::Not;

namespace heddle {
namespace {

// Why the next packet may have to wait, in a program whose packets call a function of an unknown library.
std::string loop_control(const std::string& outside, const std::string& main) {
  Program program = program_of(R"(
    #include <setjmp.h>
    struct packet { uint32_t length, out; };
    struct frame { uint64_t index, count; struct packet **packets; };
    void unknown(int);
    static struct frame frame;
    int body(void *env) {
      struct frame *f = env; uint64_t i = f->index; f->index = i + 1; if (i >= f->count) return 1;
      unknown(f->packets[i]->length); return 0;
    }
    )" + outside + R"(
    NOINLINE static int serve(int n) { return heddle_run_loop((int (*)(void *))body, &frame, -1) + n; }
    int main(int argc, char **argv) { )" +
                               main + " return serve(argc); }");
  for (llvm::User* user : program.module->getFunction("heddle_run_loop")->users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user)) program.bodies.front().run = call;
  CutGraph graph = graph_of(program);
  for (const SharedLocation& location : graph.locations)
    if (location.name == "control of the packet loop") return location.reason;
  return "none";
}

TEST(Jumps, WithoutASavedFrameThereIsNone) {
  EXPECT_THAT(loop_control("", ""), Not(HasSubstr("may jump")));
}

TEST(Jumps, AFrameThatTheProgramSaves) {
  EXPECT_THAT(loop_control("static jmp_buf back;", "if (setjmp(back)) return 1;"), HasSubstr("may jump"));
}

TEST(Jumps, AFrameOfALibrarysThatCallsTheLoop) {
  EXPECT_THAT(loop_control("void call_back(int (*)(int)); static int serve(int);", "call_back(serve);"),
              HasSubstr("may jump"));
}

} // namespace
} // namespace heddle
