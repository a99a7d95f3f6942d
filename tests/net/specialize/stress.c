// Several processes change tables at full speed, in bursts, while packets run through whatever program is on the interface.
// Each packet's verdict and bytes must be those of the original program for what the tables held while it ran.
// usage: stress OBJECT INTERFACE PACKETS ROUNDS; with ROUNDS packets take their time. Its loader is libbpf, and it knows nothing of Heddle.
//
// The writer of key k counts n up and writes n to `few`, `slots`, `prefixes` and `large`, in this order; every seventh number is a
// deletion in `few`, and every eleventh has a mark in `large`. The program reads in the opposite order, so it finds numbers that do not fall from `large` to `few`, and all
// lie between what was complete before the packet and what was begun by its end.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { keys = 2, large_entries = 1000, per_program = 64 };

struct progress {
  _Atomic unsigned long begun, complete;
  char apart[48];
};

struct prefix {
  unsigned bits, address;
};

struct question {
  unsigned key, rounds;
  unsigned long mark, found[4];
};

struct marked {
  unsigned long number;
  unsigned mark, unused;
};

static struct progress* progress;
static struct bpf_object* object;

static void give_up(const char* what) {
  perror(what);
  exit(1);
}

static int map(const char* name) {
  return bpf_object__find_map_fd_by_name(object, name);
}

static void write_number(unsigned key, unsigned long n) {
  struct prefix prefix = {32, key};
  unsigned one = 1;
  if (n % 7 == 0)
    bpf_map_delete_elem(map("few"), &key);
  else if (bpf_map_update_elem(map("few"), &key, &n, BPF_ANY))
    give_up("few");
  LIBBPF_OPTS(bpf_map_batch_opts, options);
  if (key == keys - 1 ? bpf_map_update_batch(map("slots"), &key, &n, &one, &options)
                      : bpf_map_update_elem(map("slots"), &key, &n, BPF_ANY))
    give_up("slots");
  if (bpf_map_update_elem(map("prefixes"), &prefix, &n, BPF_ANY)) give_up("prefixes");
  struct marked marked = {n, n % 11 == 0, 0};
  if (bpf_map_update_elem(map("large"), &key, &marked, BPF_ANY)) give_up("large");
}

static void write_for_ever(unsigned key) {
  srand(key);
  for (unsigned long n = 2;; ++n) {
    progress[key].begun = n;
    write_number(key, n);
    progress[key].complete = n;
    if (rand() % 20 == 0) usleep(rand() % 2000000);
  }
}

static int has_multiple(unsigned long of, unsigned long from, unsigned long to) {
  return to / of * of >= from;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  int interface = (int)if_nametoindex(argv[2]);
  long packets = atol(argv[3]);
  unsigned rounds = (unsigned)atol(argv[4]);
  progress = mmap(0, keys * sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  object = bpf_object__open(argv[1]);
  if (!object || bpf_object__load(object)) give_up(argv[1]);
  struct marked one = {1, 0, 0};
  for (unsigned key = keys; key != large_entries; ++key)
    bpf_map_update_elem(map("large"), &key, &one, BPF_ANY);
  for (unsigned key = 0; key != keys; ++key) {
    write_number(key, 1);
    progress[key].begun = progress[key].complete = 1;
  }
  struct bpf_program* program = bpf_object__find_program_by_name(object, "stress");
  int original = bpf_program__fd(program);
  if (bpf_xdp_attach(interface, original, 0, NULL)) give_up("attach");
  printf("attached\n");
  fflush(stdout);
  unsigned original_id = 0, id = 0;
  bpf_xdp_query_id(interface, 0, &original_id);
  getchar(); // until Heddle has begun

  pid_t writers[keys];
  for (unsigned key = 0; key != keys; ++key)
    if ((writers[key] = fork()) == 0) write_for_ever(key);
  long wrong = 0, specialized = 0, quiet = 0, versions = 0;
  unsigned last = 0;
  int fd = -1;
  for (long packet = 0; packet != packets; ++packet) {
    if (packet % per_program == 0) {
      if (fd >= 0) close(fd);
      do { // a program may have gone by the time that it is opened
        if (bpf_xdp_query_id(interface, 0, &id)) give_up("query");
        fd = bpf_prog_get_fd_by_id(id);
      } while (fd < 0);
      versions += id != last;
      last = id;
    }
    struct question question = {(unsigned)packet % keys, rounds, 0, {0}}, answer;
    struct progress* of = &progress[question.key];
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = &question, .data_size_in = sizeof question,
                .data_out = &answer, .data_size_out = sizeof answer, .repeat = 1);
    unsigned long low = of->complete;
    if (bpf_prog_test_run_opts(fd, &run)) give_up("run");
    unsigned long high = of->begun;
    unsigned long* found = answer.found;
    int good = found[0] >= low && found[1] >= found[0] && found[2] >= found[1] && found[2] <= high;
    good = good && (answer.mark ? has_multiple(11, low, high) : low != high || low % 11 != 0);
    if (run.retval == 3)
      good = good && found[3] >= found[2] && found[3] <= high && found[3] % 7 != 0;
    else
      good = good && run.retval == 2 && found[3] == 0 && has_multiple(7, found[2], high);
    if (!good && wrong++ < 10)
      printf("wrong: packet %ld of program %u: verdict %u, found %lu %lu %lu %lu, between %lu and %lu\n",
             packet, id, run.retval, found[0], found[1], found[2], found[3], low, high);
    specialized += id != original_id;
    quiet += id != original_id && low == high;
  }
  for (unsigned key = 0; key != keys; ++key)
    kill(writers[key], SIGKILL), waitpid(writers[key], 0, 0);
  unsigned long updates = 0;
  for (unsigned key = 0; key != keys; ++key)
    updates += 4 * progress[key].complete;
  printf("{\"packets\": %ld, \"wrong\": %ld, \"on_specialized\": %ld, \"while_quiet\": %ld, "
         "\"programs_met\": %ld, \"updates\": %lu}\n",
         packets, wrong, specialized, quiet, versions, updates);
  return wrong != 0;
}
