// Which channels' calls can be kept with the packet, and what stands in the way.
#include "body.h"

#include <gmock/gmock.h>

namespace heddle {
namespace {

using testing::HasSubstr;

const std::string frame = R"(
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>
struct packet { uint32_t length, out; };
struct frame { uint64_t index, count; struct packet **packets; };
static FILE *file, *other;
static int sock;
static void set_up(void);
int main(int argc, char **argv) {
  struct packet *packets[8];
  set_up();
  for (int i = 0; i < 8; i++) packets[i] = malloc(sizeof(struct packet));
  struct frame frame = { 0, argc, packets };
  heddle_run_loop((int (*)(void *))body, &frame, -1);
  fflush(stdout);
  return errno;
}
#define OWN struct frame *f = env; uint64_t i = f->index; f->index = i + 1; \
            if (i >= f->count) return 1; struct packet *p = f->packets[i];
)";
const std::string nothing_to_set_up =
    "static void set_up(void) { file = fopen(\"log\", \"w\"); other = fopen(\"other\", \"w\"); sock = 5; }\n";

CutGraph graph_with(const std::string& body, const std::string& set_up = nothing_to_set_up) {
  return graph_of(program_of(frame + set_up + "\nint body(void *env) { OWN " + body + " return 0; }"));
}

std::string obstacle(const CutGraph& graph, llvm::StringRef name) {
  for (const SharedLocation& location : graph.locations)
    if (llvm::StringRef(location.name).contains(name)) return location.would_free;
  return "no such location";
}

TEST(DeferredOutput, CallsWithoutResult) {
  CutGraph graph =
      graph_with(R"(printf("%u\n", p->length); p->out = 1; fwrite(p, 1, 8, stdout); putchar('\n');)");
  EXPECT_EQ(verdict_on(graph, "(stdout"), "deferred-output");
  EXPECT_EQ(graph.deferred.size(), 3u);
}

TEST(DeferredOutput, CanBeSwitchedOff) {
  Program program = program_of(frame + nothing_to_set_up +
                               R"(int body(void *env) { OWN printf("%u\n", p->length); return 0; })");
  EXPECT_EQ(verdict_on(graph_of(program), "(stdout"), "deferred-output");
  EXPECT_EQ(verdict_on(graph_of(program, {"deferred-output"}), "(stdout"), "window");
  EXPECT_TRUE(graph_of(program, {"deferred-output"}).deferred.empty());
}

TEST(DeferredOutput, AResultThatIsUsed) {
  CutGraph graph = graph_with(R"(printf("a\n"); if (printf("%u\n", p->length) < 0) p->out = 1;)");
  EXPECT_EQ(verdict_on(graph, "(stdout"), "window");
  EXPECT_THAT(obstacle(graph, "(stdout"), HasSubstr("the result is used at p.c"));
  EXPECT_TRUE(graph.deferred.empty());
}

TEST(DeferredOutput, StreamsAreSeparateChannels) {
  CutGraph graph = graph_with(R"(printf("%u\n", p->length); fprintf(file, "%u", p->length); fflush(file);)");
  EXPECT_EQ(verdict_on(graph, "(stdout"), "deferred-output");
  EXPECT_EQ(verdict_on(graph, "(opened stream)"), "window");
  EXPECT_THAT(obstacle(graph, "(opened stream)"), HasSubstr("(fflush) may observe the channel"));
}

TEST(DeferredOutput, StandardOutputAndErrorAreOneChannel) {
  CutGraph graph = graph_with(R"(printf("%u\n", p->length); fputs("a\n", stderr);)");
  EXPECT_EQ(verdict_on(graph, "(stdout, stderr)"), "deferred-output");
  graph = graph_with(R"(printf("%u\n", p->length); fflush(stderr);)");
  EXPECT_EQ(verdict_on(graph, "(stdout, stderr)"), "window");
}

TEST(DeferredOutput, AStreamOverMemory) {
  const char* set_up = "static char *text; static size_t size;\n"
                       "static void set_up(void) { file = open_memstream(&text, &size); }\n";
  EXPECT_EQ(verdict_on(graph_with(R"(fprintf(file, "%u", p->length);)", set_up), "(opened stream)"),
            "window");
}

TEST(DeferredOutput, AStreamThatIsNotKnown) {
  const char* set_up = "FILE *library_log(void);\nstatic void set_up(void) { file = library_log(); }\n";
  CutGraph graph = graph_with(R"(fprintf(file, "%u", p->length);)", set_up);
  EXPECT_EQ(verdict_on(graph, "standard I/O channel"), "window");
  EXPECT_THAT(obstacle(graph, "standard I/O channel"), HasSubstr("the stream is not known"));
}

TEST(DeferredOutput, DescriptorsAreOneChannel) {
  EXPECT_EQ(verdict_on(graph_with("write(sock, p, 8); p->out = 1; send(7, p, 8, 0);"), "descriptor"),
            "deferred-output");
  EXPECT_EQ(verdict_on(graph_with("write(sock, p, 8); p->out = 1; recv(7, p, 8, 0);"), "descriptor"),
            "window");
}

TEST(DeferredOutput, AStreamBelongsToItsDescriptor) {
  CutGraph both = graph_with(R"(printf("%u\n", p->length); p->out = 1; write(1, p, 8);)");
  EXPECT_EQ(verdict_on(both, "(stdout"), "deferred-output");
  EXPECT_EQ(verdict_on(both, "descriptor"), "deferred-output");
  CutGraph checked =
      graph_with(R"(printf("%u\n", p->length); p->out = 1; if (write(1, p, 8) < 8) p->out = 2;)");
  EXPECT_EQ(verdict_on(checked, "(stdout"), "window");
  EXPECT_EQ(verdict_on(checked, "descriptor"), "window");
  EXPECT_THAT(obstacle(checked, "(stdout"), HasSubstr("also writes to file descriptor"));
}

// The window of the descriptors holds what is written to the stream.
TEST(DeferredOutput, AStreamIsInTheWindowOfItsDescriptor) {
  CutGraph graph = graph_with(
      R"(printf("%u\n", p->length); p->out = rand(); p->out = 1; if (write(1, p, 8) < 8) p->out = 2;)");
  for (const SharedLocation& location : graph.locations)
    if (llvm::StringRef(location.name).contains("descriptor")) EXPECT_EQ(location.accesses.size(), 2u);
}

TEST(DeferredOutput, AnOpenedStreamKeepsItsDescriptorToItself) {
  CutGraph graph = graph_with(R"(fprintf(file, "%u", p->length); if (write(sock, p, 8) < 8) p->out = 2;)");
  EXPECT_EQ(verdict_on(graph, "(opened stream)"), "deferred-output");
  const char* shared = "static void set_up(void) { file = fopen(\"log\", \"w\"); sock = fileno(file); }\n";
  graph = graph_with(R"(fprintf(file, "%u", p->length); if (write(sock, p, 8) < 8) p->out = 2;)", shared);
  EXPECT_EQ(verdict_on(graph, "(opened stream)"), "window");
}

TEST(DeferredOutput, SystemLog) {
  EXPECT_EQ(verdict_on(graph_with(R"(syslog(LOG_INFO, "%u", p->length);)"), "system log"), "deferred-output");
  EXPECT_EQ(verdict_on(graph_with(R"(syslog(LOG_INFO, "%u", p->length); closelog();)"), "system log"),
            "window");
}

TEST(DeferredOutput, ErrnoOfAKeptCallIsNotWritten) {
  EXPECT_EQ(verdict_on(graph_with("write(sock, p, 8);"), "errno"), "");
  EXPECT_EQ(verdict_on(graph_with("write(sock, p, 8); p->out = close(3) + errno;"), "errno"), "window");
}

TEST(DeferredOutput, UnknownFunctionsObserve) {
  const char* set_up = "void library(void);\nstatic void set_up(void) {}\n";
  EXPECT_EQ(verdict_on(graph_with(R"(printf("%u\n", p->length); library();)", set_up), "standard I/O"),
            "window");
}

TEST(DeferredOutput, ForkObserves) {
  EXPECT_EQ(verdict_on(graph_with(R"(printf("%u\n", p->length); p->out = fork();)"), "standard I/O"),
            "window");
}

TEST(DeferredOutput, ACallThroughAPointer) {
  const char* set_up = "static int (*say)(const char *, ...);\n"
                       "static void set_up(void) { say = getenv(\"X\") ? printf : 0; }\n";
  EXPECT_EQ(verdict_on(graph_with(R"(say("%u\n", p->length);)", set_up), "(stdout"), "window");
}

// The runtime knows of handlers that sigaction and signal install.
TEST(DeferredOutput, SignalHandlersDoNotFindTheQueueHalfWritten) {
  const std::string tell = "NOINLINE static void tell(int n) { char c = n; write(sock, &c, 1); }\n";
  CutGraph graph =
      graph_with("tell(p->length);", tell + "static void set_up(void) { signal(SIGUSR1, tell); }\n");
  EXPECT_EQ(verdict_on(graph, "descriptor"), "deferred-output");
  graph = graph_with("tell(p->length);", tell + "void (*sigset(int, void (*)(int)))(int);\n"
                                                "static void set_up(void) { sigset(SIGUSR1, tell); }\n");
  EXPECT_EQ(verdict_on(graph, "descriptor"), "window");
  EXPECT_THAT(obstacle(graph, "descriptor"), HasSubstr("may run in a signal handler"));
}

TEST(DeferredOutput, ASignalThatThePacketRaises) {
  CutGraph graph = graph_with(R"(printf("%u\n", p->length); raise(SIGUSR1);)");
  EXPECT_EQ(verdict_on(graph, "standard I/O"), "window");
}

const char* other_thread = "static pthread_mutex_t lock; _Atomic int ready;\n"
                           "static void *run(void *x) { pthread_mutex_lock(&lock); puts(\"other\"); "
                           "pthread_mutex_unlock(&lock); return x; }\n"
                           "static void set_up(void) { pthread_t t; pthread_create(&t, 0, run, 0); }\n";

TEST(DeferredOutput, AThreadThatWaitsForTheWrite) {
  CutGraph graph = graph_with(
      R"(pthread_mutex_lock(&lock); printf("%u\n", p->length); pthread_mutex_unlock(&lock);)", other_thread);
  EXPECT_EQ(verdict_on(graph, "(stdout"), "window");
  EXPECT_THAT(obstacle(graph, "(stdout"), HasSubstr("other threads may go on from"));
  graph = graph_with(R"(printf("%u\n", p->length); ready = p->out;)", other_thread);
  EXPECT_EQ(verdict_on(graph, "(stdout"), "window");
}

TEST(DeferredOutput, AFenceAfterTheWrite) {
  const char* fence = "uint32_t ready; static void *look(void *x) { return ready ? x : 0; }\n"
                      "static void set_up(void) { pthread_t t; pthread_create(&t, 0, look, 0); }\n";
  CutGraph graph = graph_with(
      R"(printf("%u\n", p->length); __atomic_thread_fence(__ATOMIC_RELEASE); ready = p->length;)", fence);
  EXPECT_EQ(verdict_on(graph, "(stdout"), "window");
  graph = graph_with(R"(__atomic_thread_fence(__ATOMIC_RELEASE); ready = p->length; if (p->out) puts("b");)",
                     fence);
  EXPECT_EQ(verdict_on(graph, "(stdout"), "deferred-output");
}

TEST(DeferredOutput, AThreadThatCannotKnowOfTheWrite) {
  CutGraph graph = graph_with(R"(pthread_mutex_lock(&lock); p->out = 1; pthread_mutex_unlock(&lock);
                                 if (p->length) puts("b");)",
                              other_thread);
  EXPECT_EQ(verdict_on(graph, "(stdout"), "deferred-output");
  const char* alone = "static pthread_mutex_t lock;\nstatic void set_up(void) {}\n";
  graph = graph_with(R"(pthread_mutex_lock(&lock); printf("%u\n", p->length); pthread_mutex_unlock(&lock);)",
                     alone);
  EXPECT_EQ(verdict_on(graph, "(stdout"), "deferred-output");
}

} // namespace
} // namespace heddle
