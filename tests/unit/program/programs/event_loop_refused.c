// One iteration is one wake-up: the loop waits in select, too.
// refused: waits in select as well
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>

int main(void) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds))
    return 1;
  for (int i = 0; i < 4; i++) {
    struct sockaddr_storage sender;
    socklen_t size = sizeof sender;
    char bytes[64];
    fd_set ready;
    send(fds[1], "the quick brown fox", 3 + 2 * i, 0);
    FD_ZERO(&ready);
    FD_SET(fds[0], &ready);
    if (select(fds[0] + 1, &ready, NULL, NULL, NULL) <= 0)
      break;
    printf("%.*s\n", (int)recvfrom(fds[0], bytes, sizeof bytes, 0, (struct sockaddr *)&sender, &size), bytes);
  }
  return 0;
}
