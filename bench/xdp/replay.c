// Measures the XDP program of an interface as it was and as it is specialized, on a trace, within the kernel.
// First, both are given packets of the trace one by one: verdict and bytes must be the same.
// usage: replay OBJECT INTERFACE TRACE ROUNDS    TRACE: a packet a line, in hex
// It prints "ready", replays through whatever program is on the interface until a line comes on standard input, and then measures in turn:
// each line has the nanoseconds per packet of the original and of the other, without what replaying costs.
// usage: replay OBJECT INTERFACE TRACE phases SECONDS TRACE...
// The same, but what follows the line on standard input are phases: each trace again for so many seconds, the first one too. Each replay
// is a line: its phase, when it ended (seconds since the first phase), nanoseconds per packet without what replaying costs, and the
// program's id.
#include "replay.h"
#include "trace.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { runs = 10, checked = 500 };

static struct bpf_object* object;
static int driver;
static struct replay_state* state;

static int map(const char* name) {
  return bpf_object__find_map_fd_by_name(object, name);
}

static int program(const char* name) {
  return bpf_program__fd(bpf_object__find_program_by_name(object, name));
}

static void put_program(enum replay_program place, int fd) {
  if (bpf_map_update_elem(map("programs"), &place, &fd, BPF_ANY)) give_up("a program cannot be called");
}

// The program that is on the interface now, which may be replaced at any time.
static unsigned taken; // id of the last one

static int take_program(int interface, enum replay_program place) {
  for (int attempt = 0; attempt != 100; ++attempt) {
    unsigned id = 0;
    if (bpf_xdp_query_id(interface, 0, &id)) give_up("query");
    int fd = bpf_prog_get_fd_by_id(id);
    if (fd < 0) continue;
    put_program(place, fd);
    taken = id;
    return fd;
  }
  give_up("program");
  return -1;
}

static struct replay_packet trace[REPLAY_PACKETS];
static struct replay_packet packets[REPLAY_PACKETS]; // the trace, repeated
static unsigned numbers[REPLAY_PACKETS];
static unsigned count;

static void fill(const char* path) {
  count = read_trace(path, trace);
  for (unsigned number = 0; number != REPLAY_PACKETS; ++number) {
    numbers[number] = number;
    packets[number] = trace[number % count];
  }
}

// At once, so that the next phase begins within a moment.
static void hand_over(void) {
  unsigned all = REPLAY_PACKETS;
  LIBBPF_OPTS(bpf_map_batch_opts, options);
  if (bpf_map_update_batch(map("packets"), numbers, packets, &all, &options)) give_up("packets");
}

// Nanoseconds per packet over the trace, once.
static double replay(enum replay_program place) {
  *state = (struct replay_state){.chosen = place};
  struct replay_packet packet = {{0}};
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = &packet, .data_size_in = sizeof packet,
              .repeat = REPLAY_PACKETS);
  if (bpf_prog_test_run_opts(driver, &run)) give_up("test run");
  if (run.retval == 0) give_up("the program could not be called");
  return run.duration;
}

struct answer {
  unsigned verdict, length;
  unsigned char bytes[4 * REPLAY_BYTES];
};

static void ask(int program, const struct replay_packet* packet, struct answer* answer) {
  memset(answer, 0, sizeof *answer);
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof *packet,
              .data_out = answer->bytes, .data_size_out = sizeof answer->bytes, .repeat = 1);
  if (bpf_prog_test_run_opts(program, &run)) give_up("test run");
  answer->verdict = run.retval;
  answer->length = run.data_size_out;
}

static void check_same(int original, int specialized) {
  for (unsigned number = 0; number < count; number += 1 + count / checked) {
    struct answer one, other;
    ask(original, &trace[number], &one);
    ask(specialized, &trace[number], &other);
    if (!memcmp(&one, &other, sizeof one)) continue;
    fprintf(stderr, "packet %u: verdict %u instead of %u, or other bytes\n", number, other.verdict,
            one.verdict);
    exit(1);
  }
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Several times: the mean of the faster half, since whatever else runs on the machine only ever adds.
static double measure(enum replay_program place) {
  double times[runs], sum = 0;
  for (int i = 0; i != runs; ++i)
    times[i] = replay(place);
  qsort(times, runs, sizeof *times, compare);
  for (int i = 0; i != runs / 2; ++i)
    sum += times[i];
  return sum / (runs / 2);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void run_phases(int interface, double length, char** traces, int trace_count) {
  double own = measure(NOTHING), begin = seconds();
  for (int phase = 0; phase != trace_count; ++phase) {
    fill(traces[phase]);
    hand_over();
    for (double end = seconds() + length, now = 0; now < end;) {
      close(take_program(interface, SPECIALIZED));
      double time = replay(SPECIALIZED) - own;
      now = seconds();
      printf("%d %.4f %.2f %u\n", phase, now - begin, time, taken);
    }
  }
}

int main(int argc, char** argv) {
  int phases = argc > 6 && !strcmp(argv[4], "phases");
  if (argc != 5 && !phases) return 2;
  int interface = (int)if_nametoindex(argv[2]);
  object = bpf_object__open(argv[1]);
  if (!object || bpf_object__load(object)) give_up(argv[1]);
  driver = program("replay");
  state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, map("replay.bss"), 0);
  if (state == MAP_FAILED) give_up("the replaying program's variables");
  fill(argv[3]);
  hand_over();
  put_program(NOTHING, program("nothing"));
  int original = take_program(interface, ORIGINAL);
  printf("ready\n");
  fflush(stdout);
  for (struct pollfd input = {.fd = 0, .events = POLLIN}; poll(&input, 1, 0) == 0;) {
    close(take_program(interface, SPECIALIZED));
    replay(SPECIALIZED);
  }
  int specialized = take_program(interface, SPECIALIZED);
  check_same(original, specialized);
  close(specialized);
  if (phases) {
    run_phases(interface, atof(argv[5]), argv + 6, argc - 6);
    return 0;
  }
  for (int round = -2; round < atoi(argv[4]); ++round) { // the first two are for warmth
    close(take_program(interface,
                       SPECIALIZED)); // whatever was loaded on the machine meanwhile has made it anew
    double own = measure(NOTHING), before = measure(ORIGINAL), after = measure(SPECIALIZED);
    if (round >= 0) printf("%.2f %.2f\n", before - own, after - own);
  }
  return 0;
}
