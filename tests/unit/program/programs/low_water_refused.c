// Only the system knows how much the receive waits for.
// refused: receive-low-water
#include <stdio.h>
#include <sys/socket.h>

int main(void) {
  int fds[2], least = 4;
  long n;
  if (socketpair(AF_UNIX, SOCK_DGRAM, 0, fds) ||
      setsockopt(fds[0], SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least))
    return 1;
  for (;;) {
    struct sockaddr_storage sender;
    socklen_t size = sizeof sender;
    char bytes[64];
    send(fds[1], "", 0, 0);
    if ((n = recvfrom(fds[0], bytes, sizeof bytes, 0, (struct sockaddr *)&sender, &size)) <= 0)
      break;
    printf("%.*s\n", (int)n, bytes);
  }
  return 0;
}
