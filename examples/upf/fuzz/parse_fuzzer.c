// Application parsers and the flow verdict, on sequences of payloads of one flow. Each payload is copied to
// memory of exactly its size, so that the sanitizer sees the first byte read behind it.
#include "../app.h"
#include "../app_other.h"
#include "inputs.h"
#include <stdlib.h>
#include <string.h>

static void check(const struct app_info* info) {
  bool sound = info->app < APP_ID_COUNT && info->confidence <= APP_CONF_CERTAIN &&
               info->host_len <= APP_HOST_MAX && info->naddr <= APP_ADDR_MAX &&
               (info->confidence == APP_CONF_NONE || info->app != APP_UNKNOWN) &&
               (info->app != APP_OTHER || info->message < OTHER_COUNT);
  if (!sound) abort();
  for (int i = 0; i < info->naddr; i++)
    if (info->addr[i].app >= APP_ID_COUNT) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  struct app_flow flow;
  struct piece piece;
  memset(&flow, 0, sizeof flow);
  while (next_piece(&data, &size, &piece)) {
    uint8_t* copy = malloc(piece.len ? piece.len : 1);
    if (!copy) return 0;
    memcpy(copy, piece.data, piece.len);
    uint16_t port = fuzz_ports[piece.choice % FUZZ_PORTS];
    bool server = piece.flags & PARSE_FROM_SERVER, uplink = piece.flags & PARSE_UPLINK;
    struct app_input in = {copy,
                           piece.len,
                           piece.flags & PARSE_TCP ? 6 : 17,
                           uplink,
                           server ? port : 50000,
                           server ? 50000 : port};
    struct app_info info, again;
    memset(&info, 0xa5, sizeof info);
    memset(&again, 0x5a, sizeof again);
    app_parse(&in, &info);
    app_parse(&in, &again); // the same from other rubbish: nothing may be left unset
    check(&info);
    if (memcmp(&info, &again, offsetof(struct app_info, host)) != 0) abort();
    if (memcmp(info.host, again.host, info.host_len) != 0) abort();
    if (memcmp(info.addr, again.addr, info.naddr * sizeof *info.addr) != 0) abort();
    if (app_flow_update(&flow, &info, uplink) >= APP_ID_COUNT) abort();
    free(copy);
  }
  return 0;
}
