// A loop that may read a stream, taken all the same because the user says so.
// bodies: --body main
// body: main
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
  char bytes[4];
  int fds[2];
  long n;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
    return 1;
  send(fds[1], "the quick brown fox", 19, 0);
  shutdown(fds[1], SHUT_WR);
  while ((n = recv(fds[0], bytes, sizeof bytes, 0)) > 0)
    printf("%.*s\n", (int)n, bytes);
  return 0;
}
