// Answers frames that an AF_XDP socket receives, as capture_server.c does for captured ones. Frames go back to the kernel
// batch by batch; answers leave by a packet socket.
// usage: xsk_server INTERFACE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <netpacket/packet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <xdp/xsk.h>

#include "frames.h"
#include "heddle/heddle.h"
// Only the optimized program has it.
#pragma weak heddle_get_counters

enum { FRAMES = 2048, FRAME_SIZE = 4096, BURST = 64 };

static struct xsk_ring_cons rx, completion;
static struct xsk_ring_prod fill;
static uint8_t* area;
static int out, stopped;

static void receive(void) {
  uint32_t index = 0, to = 0, count = xsk_ring_cons__peek(&rx, BURST, &index);
  if (!count) return;
  while (xsk_ring_prod__reserve(&fill, count, &to) != count) {
  }
  for (uint32_t i = 0; i < count; i++) {
    const uint64_t address = xsk_ring_cons__rx_desc(&rx, index)->addr;
    const uint32_t size = xsk_ring_cons__rx_desc(&rx, index++)->len;
    *xsk_ring_prod__fill_addr(&fill, to++) = xsk_umem__extract_addr(address);
    const uint8_t* data = xsk_umem__get_data(area, xsk_umem__add_offset_to_addr(address));
    if (size < 64 || size > 256 || data[12] != REQUEST >> 8 || data[13] != (REQUEST & 0xff)) continue;
    if (memcmp(data + HEAD, "stop", 4) == 0) {
      stopped = 1;
      continue;
    }
    uint8_t answer[256];
    uint32_t digest = digest_of(data, size);
    make_answer(answer, data, size, digest);
    account(data[HEAD], size);
    send(out, answer, size, 0);
  }
  xsk_ring_prod__submit(&fill, count);
  xsk_ring_cons__release(&rx, count);
}

static struct xsk_socket* open_socket(const char* interface) {
  const struct xsk_umem_config frames = {.fill_size = FRAMES, .comp_size = FRAMES, .frame_size = FRAME_SIZE};
  const struct xsk_socket_config how = {
      .rx_size = FRAMES, .xdp_flags = XDP_FLAGS_SKB_MODE, .bind_flags = XDP_COPY};
  struct xsk_umem* umem;
  struct xsk_socket* in;
  uint32_t to;
  area = mmap(NULL, (size_t)FRAMES * FRAME_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (area == MAP_FAILED ||
      xsk_umem__create(&umem, area, (uint64_t)FRAMES * FRAME_SIZE, &fill, &completion, &frames) ||
      xsk_socket__create(&in, interface, 0, umem, &rx, NULL, &how) ||
      xsk_ring_prod__reserve(&fill, FRAMES, &to) != FRAMES)
    return NULL;
  for (uint64_t i = 0; i < FRAMES; i++)
    *xsk_ring_prod__fill_addr(&fill, to++) = i * FRAME_SIZE;
  xsk_ring_prod__submit(&fill, FRAMES);
  return in;
}

int main(int count, char** arguments) {
  struct xsk_socket* in = count > 1 ? open_socket(arguments[1]) : NULL;
  if (!in) {
    fprintf(stderr, "no AF_XDP socket: %s\n", strerror(errno));
    return 1;
  }
  struct sockaddr_ll here = {.sll_family = AF_PACKET, .sll_ifindex = (int)if_nametoindex(arguments[1])};
  out = socket(AF_PACKET, SOCK_RAW, 0);
  if (out < 0 || bind(out, (struct sockaddr*)&here, sizeof here)) return 1;
  fprintf(stderr, "ready\n");
  struct pollfd wait = {xsk_socket__fd(in), POLLIN, 0};
  while (!stopped && poll(&wait, 1, -1) >= 0)
    receive();
  for (int i = 0; i < KEYS; i++)
    printf("%d: %u requests, %u bytes\n", i, keys[i].requests, keys[i].bytes);
  struct heddle_counters counters;
  if (getenv("SHOW_CROSSINGS") && heddle_get_counters) {
    heddle_get_counters(&counters);
    fprintf(stderr, "crossings %llu in %llu batches of %llu packets\n",
            (unsigned long long)counters.crossings, (unsigned long long)counters.batches,
            (unsigned long long)counters.packets);
  }
  xsk_socket__delete(in);
  return 0;
}
