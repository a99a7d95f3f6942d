// The whole packet path, frame by frame, in a process with an EAL but without ports.
//
// A piece is a frame of one of the two interfaces, or (PATH_INNER) a user packet that the harness wraps so
// that the fuzzer need not learn Ethernet, outer headers, tunnels and addresses; PATH_FIX renews its
// checksums and puts the session's address into it. Frames lie in memory of their own from malloc, with the
// headroom of a real buffer in front and nothing behind.
#include "../config.h"
#include "../tools/output.h"
#include "../transmit.h"
#include "../upf.h"
#include "inputs.h"
#include <rte_eal.h>
#include <rte_mbuf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SESSIONS = 64, LONGEST = 2000 };

static struct {
  struct rte_mempool* pool;
  struct config* config;
  struct worker* worker;
  FILE* report;
  uint64_t now;
} fuzz;

static char* session_text(void) {
  char path[] = "/tmp/upf-fuzz-XXXXXX";
  int fd = mkstemp(path);
  if (fd < 0 || !write_sessions(path, SESSIONS, 0)) abort();
  close(fd);
  FILE* f = fopen(path, "r");
  char* text = calloc(1, 1 << 16);
  if (!f || !text || !fread(text, 1, (1 << 16) - 1, f)) abort();
  fclose(f);
  unlink(path);
  return text;
}

int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  char name[] = "path_fuzzer", a[] = "--no-huge", b[] = "--no-pci", c[] = "--no-telemetry",
       d[] = "--no-shconf", e[] = "-m", f[] = "256", g[] = "--log-level=error", h[] = "-l", i[] = "0";
  char* eal[] = {name, a, b, c, d, e, f, g, h, i};
  char err[512];
  if (rte_eal_init(sizeof eal / sizeof *eal, eal) < 0) abort();
  char* text = session_text();
  fuzz.config = config_parse("fuzz", text, err, sizeof err);
  if (!fuzz.config) {
    fprintf(stderr, "%s (%s)\n", err, (*argv)[0]);
    abort();
  }
  free(text);
  fuzz.pool = rte_pktmbuf_pool_create("fuzz", 8191, 0, 0, 4096, SOCKET_ID_ANY);
  fuzz.report = fopen("/dev/null", "w");
  fuzz.worker = worker_create(fuzz.config, fuzz.report);
  if (!fuzz.pool || !fuzz.worker) abort();
  fuzz.now = NS_PER_S;
  return 0;
}

static void free_frame(void* memory, void* opaque) {
  (void)opaque;
  free(memory);
}

// Memory: headroom, frame, and right at the end nothing; the shared information lies in front.
static struct rte_mbuf* frame_mbuf(const uint8_t* data, uint32_t n) {
  uint32_t front = sizeof(struct rte_mbuf_ext_shared_info) + RTE_PKTMBUF_HEADROOM;
  uint8_t* memory = malloc(front + n);
  struct rte_mbuf* m = rte_pktmbuf_alloc(fuzz.pool);
  if (!memory || !m) abort(); // a leak of buffers would end here
  struct rte_mbuf_ext_shared_info* info = (void*)memory;
  info->free_cb = free_frame;
  info->fcb_opaque = NULL;
  rte_mbuf_ext_refcnt_set(info, 1);
  rte_pktmbuf_attach_extbuf(m, memory, 0, (uint16_t)(front + n), info);
  m->data_off = (uint16_t)front;
  m->data_len = (uint16_t)n;
  m->pkt_len = n;
  memcpy(memory + front, data, n);
  return m;
}

static void set_user_address(uint8_t* ip, uint32_t n, const struct user* u, bool uplink) {
  if (n >= 20 && ip[0] >> 4 == 4) memcpy(ip + (uplink ? 12 : 16), u->ue4.bytes, 4);
  if (n >= 40 && ip[0] >> 4 == 6) memcpy(ip + (uplink ? 8 : 24), u->ue6.bytes, 16);
}

// Ethernet, outer IPv4, UDP without checksum, GTP-U with a PDU session container.
static void wrap(struct buf* out, const struct user* u, bool uplink, const uint8_t* ip, uint32_t n) {
  static const uint8_t macs[2][14] = {{2, 0, 0, 0, 6, 1, 2, 0, 0, 0, 6, 2, 8, 0},
                                      {2, 0, 0, 0, 3, 1, 2, 0, 0, 0, 3, 2, 8, 0}};
  struct address gnb = {{192, 168, 100, 16}, false}, upf = {{192, 168, 100, 1}, false};
  struct ip_options options = {.ttl = 64};
  struct buf udp;
  put_bytes(out, macs[uplink], 14);
  if (!uplink) {
    if (n && ip[0] >> 4 == 6) set_u16(out->data + 12, 0x86dd);
    put_bytes(out, ip, n);
    return;
  }
  udp.len = 0;
  put_u16(&udp, 2152);
  put_u16(&udp, 2152);
  put_u16(&udp, 8 + 16 + n);
  put_u16(&udp, 0);
  put_u16(&udp, 0x34ff);
  put_u16(&udp, 8 + n);
  put_u32(&udp, u->teid);
  put_u32(&udp, 0x00000085);
  put_u32(&udp, 0x01100900);
  put_bytes(&udp, ip, n);
  put_ip(out, &gnb, &upf, 17, &options, udp.data, udp.len);
}

static void run_piece(const struct piece* piece) {
  struct buf frame, inner;
  bool uplink = piece->flags & PATH_UPLINK;
  uint32_t n = piece->len < LONGEST ? piece->len : LONGEST;
  frame.len = inner.len = 0;
  put_bytes(&inner, piece->data, n);
  if (piece->flags & PATH_INNER) {
    struct user u = user_of(piece->choice % SESSIONS);
    if (piece->flags & PATH_FIX) {
      set_user_address(inner.data, n, &u, uplink);
      fix_checksums(inner.data, n);
    }
    wrap(&frame, &u, uplink, inner.data, n);
  } else {
    put_bytes(&frame, inner.data, n);
  }
  if (!frame.len) return;
  fuzz.now += 1000 + (uint64_t)piece->choice * 1000000;
  upf_process(fuzz.worker, frame_mbuf(frame.data, frame.len), uplink ? IF_ACCESS : IF_CORE, fuzz.now);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  struct piece piece;
  unsigned n = 0;
  while (next_piece(&data, &size, &piece)) {
    run_piece(&piece);
    if (++n % BURST == 0) worker_finish_batch(fuzz.worker);
  }
  worker_finish_batch(fuzz.worker);
  return 0;
}
