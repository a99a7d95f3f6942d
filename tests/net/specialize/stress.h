// What the stress tests share: writers in processes of their own, and how far each has come.
#ifndef TESTS_NET_STRESS_H
#define TESTS_NET_STRESS_H

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

enum { keys = 2, per_program = 64 };

// Of each key's writer: the number whose writing has begun, and the last that is in all tables.
struct progress {
  _Atomic unsigned long begun, complete;
  char apart[48];
};

static struct progress* progress;
static struct bpf_object* object;
static int interface;

void give_up(const char* what) {
  perror(what);
  exit(1);
}

static int map(const char* name) {
  return bpf_object__find_map_fd_by_name(object, name);
}

void put(const char* table, const void* key, const void* value) {
  if (bpf_map_update_elem(map(table), key, value, BPF_ANY)) give_up(table);
}

static inline int has_multiple(unsigned long of, unsigned long from, unsigned long to) {
  return to / of * of >= from;
}

static void load(const char* path, const char* interface_name) {
  progress = mmap(0, keys * sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  interface = (int)if_nametoindex(interface_name);
  object = bpf_object__open(path);
  if (!object || bpf_object__load(object)) give_up(path);
}

// The programs that tail calls lead to, and how many packets ran while each was another than in the beginning.
enum { most_members = 8 };
static unsigned member_count, first_members[most_members];
static long members_specialized[most_members];

static int array_of_members(void) {
  struct bpf_map* each;
  bpf_object__for_each_map(each, object) if (bpf_map__type(each) ==
                                             BPF_MAP_TYPE_PROG_ARRAY) return bpf_map__fd(each);
  return -1;
}

static unsigned member(int array, unsigned number) {
  unsigned id = 0;
  return bpf_map_lookup_elem(array, &number, &id) ? 0 : id;
}

// Learns what they are, before Heddle begins.
static void find_members(void) {
  int array = array_of_members();
  for (; array >= 0 && member_count != most_members && member(array, member_count); ++member_count)
    first_members[member_count] = member(array, member_count);
}

// Whether any of them is specialized; counts `packets` for each that is.
static int count_members(long packets) {
  int any = 0, array = member_count ? array_of_members() : -1;
  for (unsigned number = 0; number != member_count; ++number) {
    int is_other = member(array, number) != first_members[number];
    members_specialized[number] += is_other ? packets : 0;
    any |= is_other;
  }
  return any;
}

// Puts the program on the interface, and waits until Heddle has begun. Returns its id.
static unsigned attach(const char* program) {
  unsigned id = 0;
  if (bpf_xdp_attach(interface, bpf_program__fd(bpf_object__find_program_by_name(object, program)), 0, NULL))
    give_up("attach");
  find_members();
  printf("attached\n");
  fflush(stdout);
  bpf_xdp_query_id(interface, 0, &id);
  getchar();
  return id;
}

// The program that is on the interface now, and its id.
static int open_program(unsigned* id) {
  for (;;) { // it may have gone by the time that it is opened
    if (bpf_xdp_query_id(interface, 0, id)) give_up("query");
    int fd = bpf_prog_get_fd_by_id(*id);
    if (fd >= 0) return fd;
  }
}

// Writes numbers for ever, in bursts; after each, the last number once more, which changes nothing.
static void write_for_ever(unsigned key, void (*write_number)(unsigned key, unsigned long n)) {
  srand(key);
  for (unsigned long n = 2;; ++n) {
    progress[key].begun = n;
    write_number(key, n);
    progress[key].complete = n;
    if (rand() % 20 != 0) continue;
    usleep(rand() % 1000000);
    write_number(key, n);
    usleep(rand() % 1000000);
  }
}

// Runs packets while writers, which have written 1, go on. `is_right` runs packet `number` of a key through the program, and says
// whether its answer fits what the tables held meanwhile.
static int run(unsigned original, long packets, unsigned tables,
               void (*write_number)(unsigned, unsigned long), int (*is_right)(int program, unsigned key)) {
  pid_t writers[keys];
  for (unsigned key = 0; key != keys; ++key)
    if ((writers[key] = fork()) == 0) write_for_ever(key, write_number);
  long wrong = 0, specialized = 0, quiet = 0, programs = 0;
  unsigned last = 0, id = 0;
  int program = -1, any = 0;
  for (long packet = 0; packet != packets; ++packet) {
    if (packet % per_program == 0) {
      if (program >= 0) close(program);
      program = open_program(&id);
      programs += id != last;
      last = id;
      any = count_members(per_program) | (id != original);
    }
    unsigned key = (unsigned)packet % keys;
    unsigned long before = progress[key].complete;
    if (!is_right(program, key) && wrong++ < 10) printf("wrong: packet %ld of program %u\n", packet, id);
    specialized += any;
    quiet += any && before == progress[key].begun;
  }
  unsigned long updates = 0;
  for (unsigned key = 0; key != keys; ++key) {
    kill(writers[key], SIGKILL);
    waitpid(writers[key], 0, 0);
    updates += tables * progress[key].complete;
  }
  printf("{\"packets\": %ld, \"wrong\": %ld, \"on_specialized\": %ld, \"while_quiet\": %ld, "
         "\"programs_met\": %ld, \"updates\": %lu, \"members_specialized\": [",
         packets, wrong, specialized, quiet, programs, updates);
  for (unsigned number = 0; number != member_count; ++number)
    printf("%s%ld", number ? ", " : "", members_specialized[number]);
  printf("]}\n");
  return wrong != 0;
}

#endif
