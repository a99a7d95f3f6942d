// A descriptor kept in a variable, whose socket is one for datagrams wherever it is made.
// bodies: recv main
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int fd = -1;

static int open_socket(void) { return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0); }

int main(void) {
  struct sockaddr_un here = {.sun_family = AF_UNIX};
  socklen_t size = sizeof here;
  int other = socket(AF_UNIX, SOCK_DGRAM, 0);
  char bytes[64];
  long n;
  fd = open_socket();
  // A name of the system's choice.
  if (bind(fd, (struct sockaddr *)&here, sizeof here.sun_family) || getsockname(fd, (struct sockaddr *)&here, &size))
    return 1;
  for (int i = 0; i < 6; i++)
    sendto(other, "the quick brown fox", 3 + 2 * i, 0, (struct sockaddr *)&here, size);
  while ((n = recv(fd, bytes, sizeof bytes, 0)) > 0)
    printf("%.*s\n", (int)n, bytes);
  return 0;
}
