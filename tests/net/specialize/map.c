// A map of a running program. usage: map PROGRAM MAP fill ENTRIES [BYTE]    keys are numbers from 0, values all bytes BYTE (1)
//        map PROGRAM MAP read    prints the first 64 bits of its value at 0
//        map PROGRAM MAP programs    prints the ids of the programs in it    map PROGRAM MAP put KEY PROGRAM    puts one there
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  unsigned ids[64];
  struct bpf_prog_info program = {.nr_map_ids = 64, .map_ids = (unsigned long)ids};
  unsigned bytes = sizeof program;
  int fd = bpf_prog_get_fd_by_id((unsigned)atoi(argv[1]));
  if (fd < 0 || bpf_obj_get_info_by_fd(fd, &program, &bytes)) return perror("program"), 1;
  for (unsigned i = 0; i != program.nr_map_ids; ++i) {
    struct bpf_map_info map = {0};
    bytes = sizeof map;
    fd = bpf_map_get_fd_by_id(ids[i]);
    if (fd < 0 || bpf_obj_get_info_by_fd(fd, &map, &bytes)) return perror("map"), 1;
    if (strcmp(map.name, argv[2])) continue;
    char key[256] = {0}, value[256];
    if (!strcmp(argv[3], "read")) {
      unsigned long first;
      if (bpf_map_lookup_elem(fd, key, value)) return perror("lookup"), 1;
      memcpy(&first, value, sizeof first);
      printf("%lu\n", first);
      return 0;
    }
    if (!strcmp(argv[3], "programs")) {
      for (unsigned number = 0, id = 0; number != map.max_entries; ++number)
        printf("%u ", bpf_map_lookup_elem(fd, &number, &id) ? 0 : id);
      return 0;
    }
    if (argc == 6 && !strcmp(argv[3], "put")) {
      unsigned number = (unsigned)atoi(argv[4]);
      int other = bpf_prog_get_fd_by_id((unsigned)atoi(argv[5]));
      if (other < 0 || bpf_map_update_elem(fd, &number, &other, BPF_ANY)) return perror("put"), 1;
      return 0;
    }
    memset(value, argc > 5 ? atoi(argv[5]) : 1, sizeof value);
    for (unsigned number = 0; number != (unsigned)atoi(argv[4]); ++number) {
      memcpy(key, &number, sizeof number);
      if (bpf_map_update_elem(fd, key, value, BPF_ANY)) return perror("update"), 1;
    }
    return 0;
  }
  fprintf(stderr, "no map %s\n", argv[2]);
  return 1;
}
