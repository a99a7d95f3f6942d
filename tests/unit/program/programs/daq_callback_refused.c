// libDAQ 2 acts on the verdict that its callback returns before it brings the next packet.
// refused: verdict-per-packet
#include <stdint.h>
#include <stdio.h>

enum { PASS, BLOCK };
typedef int (*analysis)(void *user, const void *header, const uint8_t *data);
int daq_acquire(const void *module, void *handle, int count, analysis callback, void *user);

static int inspect(void *user, const void *header, const uint8_t *data) {
  printf("%u\n", data[0]);
  return data[0] % 2 ? PASS : BLOCK;
}

int main(void) { return daq_acquire(0, 0, 0, inspect, 0); }
