// What the running program gives for a packet of zeros. usage: verdict PROGRAM
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  char packet[64] = {0};
  LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = packet, .data_size_in = sizeof packet, .repeat = 1);
  int fd = bpf_prog_get_fd_by_id((unsigned)atoi(argv[1]));
  if (fd < 0 || bpf_prog_test_run_opts(fd, &run)) return perror("program"), 1;
  printf("%u\n", run.retval);
  return 0;
}
