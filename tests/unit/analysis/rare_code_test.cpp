// Which blocks are rare code, and where packets enter it.
#include "body.h"

#include <set>

namespace heddle {
namespace {

const std::string frame = R"(
#include <setjmp.h>
#include <signal.h>
struct packet { uint32_t length, out; };
struct frame { uint64_t index, count; struct packet **packets; };
uint32_t failures;
NOINLINE static void note(struct packet *p) { if (p->length > 7) failures++; }
int body(void *env) {
  struct frame *f = env; uint64_t i = f->index; f->index = i + 1;
  if (i >= f->count) return 1;
  struct packet *p = f->packets[i];
  if (p->length > 3) { note(p); p->out = 1; }
  return 0;
}
int main(int argc, char **argv) {
  struct packet *packets[8];
  for (int i = 0; i < 8; i++) packets[i] = malloc(sizeof(struct packet));
  struct frame frame = { 0, argc, packets };
  start();
  return heddle_run_loop((int (*)(void *))body, &frame, -1);
}
)";

// With everything rare that may be: the functions in which a packet may become alone.
std::set<std::string> functions_with_gates(const std::string& start) {
  Program program = program_of("static void start(void);\n" + frame + start);
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.rare = [](BlockId) { return true; };
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  std::set<std::string> names;
  for (BlockId gate : analysis.graphs.front().gates)
    names.insert(blocks.block(gate)->getParent()->getName().str());
  return names;
}

TEST(RareCode, BeginsAtBlocksAndFunctions) {
  std::set<std::string> names = functions_with_gates("static void start(void) {}");
  EXPECT_TRUE(names.count("note"));
  EXPECT_TRUE(names.count("heddle.body.0"));
}

// Others are installed through the runtime, which keeps gates out of them.
TEST(RareCode, IsNotWhatASignalHandlerRunsThatMayJumpOrIsInstalledByOtherMeans) {
  const std::string handler = R"(
    struct packet none;
    void (*__sysv_signal(int, void (*)(int)))(int);
    static jmp_buf back;
    static void plain(int n) { note(&none); }
    static void jumps(int n) { note(&none); longjmp(back, n); })";
  auto names = [&](const std::string& start) {
    return functions_with_gates(handler + "static void start(void) { " + start + " }");
  };
  EXPECT_TRUE(names("signal(SIGUSR1, plain);").count("note"));
  EXPECT_TRUE(names("struct sigaction a = {.sa_handler = plain}; sigaction(SIGUSR1, &a, 0);").count("note"));
  EXPECT_FALSE(names("__sysv_signal(SIGUSR1, plain);").count("note"));
  EXPECT_FALSE(names("signal(SIGUSR1, jumps);").count("note"));
  EXPECT_FALSE(names("struct sigaction a = {.sa_handler = jumps}; sigaction(SIGUSR1, &a, 0);").count("note"));
}

TEST(RareCode, IsAlsoWherePoolAllocatorsFail) {
  Program program = program_of(packet_loop + R"(
    uint32_t failures;
    NOINLINE void *ngx_palloc(void *pool, size_t size) { if (size > 99) { failures++; return 0; } return malloc(size); }
    int body(void *env) { OWN p->out = ngx_palloc(p, p->length) != 0; return 0; })");
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.rare = [](BlockId) { return true; };
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  EXPECT_TRUE(llvm::any_of(analysis.graphs.front().gates, [&](BlockId gate) {
    return blocks.block(gate)->getParent()->getName() == "ngx_palloc";
  }));
}

TEST(RareCode, IsNotTheBeginningOfTheBody) {
  Program program = program_of("static void start(void);\n" + frame + "static void start(void) {}");
  BlockTable blocks(*program.module);
  AnalysisOptions options;
  options.rare = [](BlockId) { return true; };
  Analysis analysis = llvm::cantFail(analyse(program, blocks, options));
  const CutGraph& graph = analysis.graphs.front();
  EXPECT_FALSE(graph.nodes[graph.entry].rare);
  EXPECT_FALSE(llvm::is_contained(graph.gates, graph.nodes[graph.entry].block));
}

} // namespace
} // namespace heddle
