// Sends a trace through the XDP program of an interface as it was and as it is specialized, in turn, between network namespaces: from the
// neighbour's end of a veth pair, into the pair's other end (FRONT), where the program runs, and out where the program says.
//
// Packets are made by an XDP program that the kernel runs again and again on frames of its own (BPF_F_TEST_XDP_LIVE_FRAMES) and that sends
// them into the pair: a few million a second of one processor, with no socket buffer on the way, as from the ring of a card. At the other
// ends another one counts them, compares each with what the original made of it, and takes the time since it was sent. Neither leaves
// the kernel, so what is measured is the way and the program, and no reader that cannot follow.
//
// usage: end_to_end OBJECT TRACE INSIDE OUTSIDE BEHIND ROUNDS SECONDS SHARE
// The program is on heddle0 in namespace INSIDE. It prints "wired" and waits for a line on standard input; prints "ready" when the original's
// answers are known, sends through whatever program is there until another line comes, and then measures: a line for each turn of SECONDS,
// first at full speed, then at SHARE of what the original can do.
#define _GNU_SOURCE // setns
#include "end_to_end.h"
#include "trace.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

enum place { INSIDE, OUTSIDE, BEHIND, PLACES };
enum variant { WAY, BEFORE, AFTER, VARIANTS };

static const char* const names[VARIANTS] = {"way", "original", "specialized"};
enum { warm_up = 2 };

static struct bpf_object* object;
static struct sending* sending;
static struct arriving* arriving;
static int places[PLACES];
static int original;
static unsigned original_id, replaced, checked;

struct turn {
  double seconds; // from the first packet to the last
  __u64 sent, handled, expected, arrived, came_back;
};

static int program(const char* name) {
  return bpf_program__fd(bpf_object__find_program_by_name(object, name));
}

static void enter(enum place place) {
  if (setns(places[place], CLONE_NEWNET)) give_up("a network namespace cannot be entered");
}

static void open_place(enum place place, const char* name) {
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", name);
  places[place] = open(path, O_RDONLY | O_CLOEXEC);
  if (places[place] < 0) give_up(path);
}

static void attach(enum place place, int interface, int fd) {
  enter(place);
  if (!bpf_xdp_attach(interface, fd, XDP_FLAGS_DRV_MODE, NULL)) return;
  perror("no native XDP on veth");
  exit(77);
}

static unsigned current_id(void) {
  enter(INSIDE);
  unsigned id = 0;
  if (bpf_xdp_query_id((int)if_nametoindex("heddle0"), 0, &id)) give_up("query");
  return id;
}

// The program that is on heddle0 now, which may be replaced at any time.
static int take_program(unsigned* id) {
  for (int attempt = 0; attempt != 100; ++attempt) {
    *id = current_id();
    int fd = bpf_prog_get_fd_by_id(*id);
    if (fd >= 0) return fd;
  }
  give_up("program");
}

// Packets that the program has been given on FRONT: its driver counts them.
static __u64 handled(void) {
  enter(INSIDE);
  char name[IF_NAMESIZE], line[512];
  FILE* file = fopen("/proc/self/net/dev", "r");
  if (!file || !if_indextoname(FRONT, name)) give_up("counters of the interface");
  __u64 count = 0;
  while (fgets(line, sizeof line, file)) {
    char* colon = strchr(line, ':');
    char* begin = line + strspn(line, " ");
    if (!colon || (size_t)(colon - begin) != strlen(name) || strncmp(begin, name, strlen(name)) != 0)
      continue;
    unsigned long long packets = 0;
    sscanf(colon + 1, "%*u %llu", &packets);
    count = packets;
  }
  fclose(file);
  return count;
}

static __u64 arrived(void) {
  __u64 sum = 0;
  for (unsigned i = 0; i != BUCKETS; ++i)
    sum += arriving->buckets[i];
  return sum;
}

// How many of the first packets have an answer.
static __u64 expected(__u64 sent) {
  __u64 whole = 0, rest = 0;
  for (unsigned i = 0; i != REPLAY_PACKETS; ++i) {
    if (!arriving->answers[i]) continue;
    ++whole;
    if (i < sent % REPLAY_PACKETS) ++rest;
  }
  return sent / REPLAY_PACKETS * whole + rest;
}

static void nothing(int signal) {
  (void)signal;
}

// One call that a signal ends: each takes tens of milliseconds to clean up, in which nothing is sent.
static void generate(unsigned gap, double length) {
  static char frame[REPLAY_BYTES];
  // Packets that are sent one by one leave one by one.
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame, .data_size_in = sizeof frame, .repeat = INT32_MAX,
              .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = gap ? 1 : 64);
  time_t whole = (time_t)length;
  struct itimerval timer = {.it_value = {whole, (suseconds_t)((length - (double)whole) * 1e6)}};
  if (setitimer(ITIMER_REAL, &timer, NULL)) give_up("timer");
  if (bpf_prog_test_run_opts(program("generate"), &run) && errno != EINTR) give_up("packets cannot be sent");
}

static struct turn send_through(int through, enum mode mode, unsigned gap, double length) {
  attach(INSIDE, FRONT, through);
  arriving->mode = mode;
  memset(arriving->buckets, 0, sizeof arriving->buckets);
  arriving->came_back = 0;
  *sending = (struct sending){.gap = gap};
  __u64 before = handled();
  enter(OUTSIDE);
  generate(gap, length);
  usleep(3000); // those that are on their way
  struct turn turn = {.seconds = (double)(sending->last - sending->first) / 1e9,
                      .sent = sending->sent,
                      .handled = handled() - before,
                      .arrived = arrived(),
                      .came_back = arriving->came_back};
  turn.expected = expected(turn.sent);
  if (!arriving->wrong) return turn;
  fprintf(stderr, "%llu packets arrived that are not as the original has them\n", arriving->wrong);
  exit(1);
}

// The whole trace, with time to spare.
static struct turn send_slowly(int through, enum mode mode) {
  const unsigned gap = 4000;
  return send_through(through, mode, gap, 1.5 * REPLAY_PACKETS * gap / 1e9);
}

// Of all packets of the trace, and none of them lost on the way to the program.
static int was_whole(struct turn turn) {
  return turn.sent >= REPLAY_PACKETS && turn.handled == turn.sent;
}

// Twice, since the first packet of a connection may get another answer than the next.
static void learn(void) {
  int passes = 0;
  for (int attempt = 0; attempt != 20 && passes != 2; ++attempt) {
    memset(arriving->answers, 0, sizeof arriving->answers);
    passes += was_whole(send_slowly(original, LEARN));
  }
  if (passes == 2 && expected(REPLAY_PACKETS)) return;
  fprintf(stderr, "the original's answers are not known: packets are lost, or none goes on\n");
  exit(1);
}

// Whether each packet of the trace has the answer that it should have, none among them. False where some were lost before the program.
static int check(void) {
  for (int attempt = 0; attempt != 20; ++attempt) {
    unsigned id;
    int specialized = take_program(&id);
    struct turn turn = send_slowly(specialized, COMPARE);
    close(specialized);
    if (!was_whole(turn)) continue;
    if (turn.arrived == turn.expected) return 1;
    fprintf(stderr, "of %llu packets %llu arrived, and not %llu\n", turn.sent, turn.arrived, turn.expected);
    exit(1);
  }
  return 0;
}

// Nanoseconds that such a share of the packets took at most.
static double percentile(double share) {
  double left = share * (double)arrived();
  for (unsigned i = 0; i != BUCKETS; ++i) {
    left -= arriving->buckets[i];
    if (left > 0) continue;
    __u64 end =
        i < FINE_BUCKETS ? (__u64)(i + 1) << FINE_SHIFT : (__u64)(i - FINE_BUCKETS + 1) << COARSE_SHIFT;
    return (double)end;
  }
  return 0;
}

static struct turn run_turn(int round, enum variant variant, unsigned gap, double length) {
  unsigned id = original_id;
  int specialized = variant == AFTER ? take_program(&id) : -1;
  int fds[VARIANTS] = {program("way"), original, specialized};
  usleep(50000); // other work has its part before the turn, so that it need not come in between
  struct turn turn = send_through(fds[variant], variant == WAY ? COUNT : COMPARE, gap, length);
  if (variant == AFTER) {
    close(specialized);
    replaced += current_id() != id;
  }
  if (round >= 0)
    printf("%d %s %u %u %.6f %llu %llu %llu %llu %llu %.0f %.0f %.0f %.0f\n", round, names[variant], gap,
           id == original_id, turn.seconds, turn.sent, turn.handled, turn.expected, turn.arrived,
           turn.came_back, percentile(0.5), percentile(0.9), percentile(0.99), percentile(0.999));
  return turn;
}

static void measure(int rounds, double length, double share) {
  unsigned gap = 0;
  for (int round = -warm_up; round < rounds; ++round) {
    for (int i = 0; i != VARIANTS; ++i) {
      enum variant variant = (enum variant)(round & 1 ? VARIANTS - 1 - i : i);
      struct turn turn = run_turn(round, variant, 0, length);
      if (round < 0 && variant == BEFORE) gap = (unsigned)(turn.seconds * 1e9 / (double)turn.handled / share);
    }
    for (int i = 0; i != 2; ++i)
      run_turn(round, round & 1 ? AFTER - i : BEFORE + i, gap, length);
    if (round >= 0) checked += (unsigned)check();
  }
}

static void say(const char* what) {
  puts(what);
  fflush(stdout);
}

// Whatever is on heddle0, once it is no more the original.
static void settle(void) {
  unsigned id;
  int now = take_program(&id);
  if (id != original_id) send_through(now, COMPARE, 0, 0.1);
  usleep(50000);
  close(now);
}

int main(int argc, char** argv) {
  if (argc != 9) return 2;
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = nothing}, NULL);
  for (int place = 0; place != PLACES; ++place)
    open_place(place, argv[3 + place]);
  object = bpf_object__open(argv[1]);
  if (!object || bpf_object__load(object)) give_up(argv[1]);
  int variables = bpf_object__find_map_fd_by_name(object, ".bss");
  struct shared* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, variables, 0);
  if (shared == MAP_FAILED) give_up("variables");
  sending = &shared->sending;
  arriving = &shared->arriving;

  static struct replay_packet packets[REPLAY_PACKETS];
  unsigned count = read_trace(argv[2], packets);
  for (unsigned i = 0; i != REPLAY_PACKETS; ++i)
    if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, "packets"), &i, &packets[i % count], 0))
      give_up("packets");
  attach(OUTSIDE, FRONT, program("arrive"));
  for (int port = FIRST_PORT; port <= LAST_PORT; ++port)
    attach(BEHIND, port, program("arrive"));
  attach(INSIDE, FRONT, program("way"));
  say("wired");
  getchar();
  original = take_program(&original_id);
  learn();
  attach(INSIDE, FRONT, program("way")); // Heddle wants the original in one place only
  say("ready");

  for (struct pollfd input = {.fd = 0, .events = POLLIN}; poll(&input, 1, 0) == 0;)
    settle();
  measure(atoi(argv[6]), atof(argv[7]), atof(argv[8]));
  printf("replaced %u checked %u\n", replaced, checked);
  return 0;
}
