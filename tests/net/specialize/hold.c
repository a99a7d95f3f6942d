// Loads an object's program and holds it on an interface by a link, until its standard input ends. usage: hold OBJECT INTERFACE PIN
// PIN: where the program is pinned in a BPF file system. It says "attached", and nothing of Heddle is known to it.
#include <bpf/libbpf.h>
#include <net/if.h>
#include <stdio.h>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  struct bpf_object* object = bpf_object__open(argv[1]);
  if (!object || bpf_object__load(object)) return perror(argv[1]), 1;
  struct bpf_program* program = bpf_object__next_program(object, NULL);
  if (!bpf_program__attach_xdp(program, (int)if_nametoindex(argv[2]))) return perror(argv[2]), 1;
  if (bpf_program__pin(program, argv[3])) return perror(argv[3]), 1;
  printf("attached\n");
  fflush(stdout);
  getchar();
  return 0;
}
