// A control plane: loads the program, fills its tables from a file, attaches it, and checks it.
// usage: control OBJECT INTERFACE TABLES [GOLDEN]
// It puts the packets of GOLDEN through the original, attaches it, prints "attached", and waits for a line on standard input. Then it puts
// them through whatever program is on the interface by then. Each line of GOLDEN has the verdict, the packet, and what it becomes.
#include "control.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

enum { most_bytes = 256 };

static struct bpf_object* object;

void give_up(const char* what) {
  perror(what);
  exit(1);
}

void put(const char* table, const void* key, const void* value) {
  if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(object, table), key, value, BPF_ANY))
    give_up(table);
}

static void fill(const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  for (char line[256]; fgets(line, sizeof line, file);)
    fill_line(line);
  fclose(file);
}

static size_t from_hex(const char* text, unsigned char* bytes) {
  size_t count = 0;
  for (unsigned byte; count != most_bytes && sscanf(text, "%2x", &byte) == 1; text += 2)
    bytes[count++] = (unsigned char)byte;
  return count;
}

static int golden(int program, const char* path) {
  FILE* file = fopen(path, "r");
  if (!file) give_up(path);
  int cases = 0, wrong = 0;
  for (char line[2048]; fgets(line, sizeof line, file); ++cases) {
    unsigned verdict;
    char before[600], after[600], why[256] = "";
    if (sscanf(line, "%u %599s %599s # %255[^\n]", &verdict, before, after, why) < 3) give_up(line);
    unsigned char in[most_bytes], wanted[most_bytes], out[most_bytes] = {0};
    LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = in, .data_size_in = (__u32)from_hex(before, in),
                .data_out = out, .data_size_out = sizeof out, .repeat = 1);
    size_t length = from_hex(after, wanted);
    if (bpf_prog_test_run_opts(program, &run)) give_up("test run");
    if (run.retval == verdict && run.data_size_out == length && !memcmp(out, wanted, length)) continue;
    printf("wrong: %s: verdict %u\n", why, run.retval);
    ++wrong;
  }
  fclose(file);
  printf("{\"golden\": %d, \"wrong\": %d}\n", cases, wrong);
  return wrong != 0;
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) return 2;
  int interface = (int)if_nametoindex(argv[2]);
  object = bpf_object__open(argv[1]);
  if (!object || bpf_object__load(object)) give_up(argv[1]);
  fill(argv[3]);
  int original = bpf_program__fd(bpf_object__find_program_by_name(object, program_name));
  int wrong = argc == 5 && golden(original, argv[4]);
  if (bpf_xdp_attach(interface, original, 0, NULL)) give_up(argv[2]);
  printf("attached\n");
  fflush(stdout);
  getchar();
  unsigned id = 0;
  if (bpf_xdp_query_id(interface, 0, &id)) give_up("query");
  int now = bpf_prog_get_fd_by_id(id);
  if (now < 0) give_up("program");
  return argc == 5 && (wrong | golden(now, argv[4]));
}
