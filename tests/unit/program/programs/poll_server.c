// The loop runs over the descriptors, not over poll's result.
// bodies: poll main
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

static long sum;

static int serve(struct pollfd *entry) {
  char bytes[4];
  long n = read(entry->fd, bytes, sizeof bytes);
  if (n <= 0) {
    entry->fd = -1;
    return 0;
  }
  for (long i = 0; i < n; i++)
    sum = sum * 5 + bytes[i];
  printf("%.*s\n", (int)n, bytes);
  return 1;
}

int main(void) {
  struct pollfd entries[5];
  int open = 5;
  for (int i = 0; i < 5; i++) {
    int fds[2];
    if (pipe(fds) || write(fds[1], "the quick brown fox", 3 + 3 * i) < 0)
      return 1;
    close(fds[1]);
    entries[i] = (struct pollfd){.fd = fds[0], .events = POLLIN};
  }
  while (open > 0 && poll(entries, 5, -1) > 0) {
    for (int i = 0; i < 5; i++) {
      if (!entries[i].revents)
        continue;
      if (!serve(&entries[i]))
        open--;
    }
  }
  printf("%ld\n", sum);
  return 0;
}
