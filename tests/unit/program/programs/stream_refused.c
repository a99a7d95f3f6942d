// Each recv gives a piece of one message.
// refused: may read a stream: stream-or-datagrams
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
  char message[64];
  int fds[2];
  size_t got = 0;
  long n;
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
    return 1;
  send(fds[1], "the quick brown fox", 19, 0);
  shutdown(fds[1], SHUT_WR);
  while ((n = recv(fds[0], message + got, sizeof message - got, 0)) > 0) {
    got += (size_t)n;
    printf("%d\n", (int)strnlen(message, got));
  }
  return 0;
}
