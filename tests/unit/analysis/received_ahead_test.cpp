// Datagrams that are received ahead of earlier packets' output.
#include "body.h"

namespace heddle {
namespace {

// As src/program leaves a loop that receives: the call has the runtime's name.
CutGraph graph_with(const std::string& body, std::vector<std::string> without = {}) {
  return graph_of(program_of(R"(
#include <sys/socket.h>
#include <unistd.h>
long heddle_recv(int, void *, size_t, int);
static int in, out, lost;
static long work(char *bytes, long n) { for (long i = 1; i < n; i++) bytes[i] ^= bytes[i - 1]; return n; }
int main(void) {
  in = socket(AF_UNIX, SOCK_DGRAM, 0);
  out = dup(in);
  return heddle_run_loop(body, 0, -1);
}
int body(void *env) { char bytes[64]; long n; )" +
                             body + " return 0; }"),
                  without);
}

TEST(ReceivedAhead, ReceivingAndSendingAreTwoChannels) {
  CutGraph graph = graph_with(
      "if ((n = heddle_recv(in, bytes, 64, 0)) < 0) return 1; work(bytes, n); send(out, bytes, n, 0);");
  EXPECT_EQ(verdict_on(graph, "(received)"), "window");
  EXPECT_EQ(verdict_on(graph, "received against output"), "received-ahead");
  EXPECT_EQ(graph.deferred.size(), 1u);
}

TEST(ReceivedAhead, CanBeSwitchedOff) {
  CutGraph graph = graph_with(
      "if ((n = heddle_recv(in, bytes, 64, 0)) < 0) return 1; work(bytes, n); send(out, bytes, n, 0);",
      {"received-ahead"});
  EXPECT_EQ(verdict_on(graph, "descriptor"), "window");
  EXPECT_EQ(verdict_on(graph, "received against output"), "");
  EXPECT_TRUE(graph.deferred.empty());
}

TEST(ReceivedAhead, AResultThatIsUsedKeepsOutputsOwnWindow) {
  CutGraph graph = graph_with("if ((n = heddle_recv(in, bytes, 64, 0)) < 0) return 1; work(bytes, n);"
                              "if (send(out, bytes, n, 0) < 0) ++lost;");
  EXPECT_EQ(verdict_on(graph, "received against output"), "received-ahead");
  EXPECT_TRUE(graph.deferred.empty());
}

TEST(ReceivedAhead, AnythingElseDoneToDescriptorsJoinsThem) {
  CutGraph graph = graph_with("if ((n = heddle_recv(in, bytes, 64, 0)) < 0) return 1; work(bytes, n);"
                              "send(out, bytes, n, 0); if (n == 7) close(out);");
  EXPECT_EQ(verdict_on(graph, "(received)"), "");
  EXPECT_EQ(verdict_on(graph, "descriptor"), "window");
}

// Who has to come first, for the planner.
TEST(ReceivedAhead, ReceivesAreTold) {
  CutGraph graph = graph_with("bytes[0] = 7; send(out, bytes, 1, 0);"
                              "if ((n = heddle_recv(in, bytes, 64, 0)) < 0) return 1; work(bytes, n);");
  unsigned sends = 0, receives = 0;
  for (const SharedLocation& location : graph.locations)
    if (location.verdict == "received-ahead")
      for (const LocationAccess& access : location.accesses)
        ++(access.receives ? receives : sends);
  EXPECT_GT(sends, 0u);
  EXPECT_GT(receives, 0u);
}

} // namespace
} // namespace heddle
