// Which blocks are rare code, and where packets enter it.
#include "body.h"

#include <set>

namespace heddle {
namespace {

const std::string frame = R"(
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

TEST(RareCode, IsNeverWhatRunsInASignalHandler) {
  std::set<std::string> names = functions_with_gates(R"(
    struct packet none;
    static void on_signal(int n) { note(&none); }
    static void start(void) { signal(SIGUSR1, on_signal); })");
  EXPECT_FALSE(names.count("note"));
  names = functions_with_gates(R"(
    struct packet none;
    static void on_signal(int n) { note(&none); }
    static void start(void) { struct sigaction a = { .sa_handler = on_signal }; sigaction(SIGUSR1, &a, 0); })");
  EXPECT_FALSE(names.count("note"));
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
