// Measures the XDP program of an interface as it was and as it is specialized, on a trace, within the kernel.
// usage: replay OBJECT INTERFACE TRACE ROUNDS    TRACE: a packet a line, in hex
// It prints "ready", replays through whatever program is on the interface until a line comes on standard input, and then measures in turn:
// each line has the nanoseconds per packet of the original and of the other, without what replaying costs.
#include "replay.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { runs = 10 };

static struct bpf_object* object;
static int driver;
static struct replay_state* state;

static void give_up(const char* what) {
  perror(what);
  exit(1);
}

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
static void take_program(int interface, enum replay_program place) {
  for (int attempt = 0; attempt != 100; ++attempt) {
    unsigned id = 0;
    if (bpf_xdp_query_id(interface, 0, &id)) give_up("query");
    int fd = bpf_prog_get_fd_by_id(id);
    if (fd < 0) continue;
    put_program(place, fd);
    close(fd);
    return;
  }
  give_up("program");
}

static void fill(const char* path) {
  static struct replay_packet trace[REPLAY_PACKETS];
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  unsigned count = 0;
  for (char line[2 * REPLAY_BYTES + 2]; count != REPLAY_PACKETS && fgets(line, sizeof line, file); ++count)
    for (unsigned i = 0; i != REPLAY_BYTES; ++i)
      if (sscanf(line + 2 * i, "%2hhx", (unsigned char*)&trace[count] + i) != 1) give_up(path);
  fclose(file);
  if (!count) give_up(path);
  for (unsigned number = 0; number != REPLAY_PACKETS; ++number)
    if (bpf_map_update_elem(map("packets"), &number, &trace[number % count], BPF_ANY)) give_up("packets");
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

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  int interface = (int)if_nametoindex(argv[2]);
  object = bpf_object__open(argv[1]);
  if (!object || bpf_object__load(object)) give_up(argv[1]);
  driver = program("replay");
  state = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, map("replay.bss"), 0);
  if (state == MAP_FAILED) give_up("the replaying program's variables");
  fill(argv[3]);
  put_program(NOTHING, program("nothing"));
  take_program(interface, ORIGINAL);
  printf("ready\n");
  fflush(stdout);
  for (struct pollfd input = {.fd = 0, .events = POLLIN}; poll(&input, 1, 0) == 0;) {
    take_program(interface, SPECIALIZED);
    replay(SPECIALIZED);
  }
  take_program(interface, SPECIALIZED);
  for (int round = -2; round < atoi(argv[4]); ++round) { // the first two are for warmth
    double own = measure(NOTHING), before = measure(ORIGINAL), after = measure(SPECIALIZED);
    if (round >= 0) printf("%.2f %.2f\n", before - own, after - own);
  }
  return 0;
}
