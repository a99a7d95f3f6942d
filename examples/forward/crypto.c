// Encryption per destination: the IPv4 payload of a packet is encrypted with the key of its destination, AES-128 in Galois/counter mode
// (NIST SP 800-38D) by OpenSSL, and sent to the destination's next hop. Behind the ciphertext come the packet's number, which is part of
// the nonce, and the tag. The header is not authenticated, as routers change it.

#include "cuckoo.h"
#include "forward.h"
#include "hops.h"
#include "ipv4.h"
#include "lines.h"
#include "memory.h"
#include <arpa/inet.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

const char app_name[] = "forward-crypto";
const uint64_t app_entries = 1000000;

enum verdict { FORWARDED, NOT_IPV4, HEADER, CHECKSUM, EXPIRED, NO_KEY, NO_ROOM, FAILED };
const char* const app_verdicts[] = {"forwarded",    "not-ipv4",    "bad-header",
                                    "bad-checksum", "ttl-expired", "no-key",
                                    "no-room",      "failed",      NULL};

enum { KEY = 16, SALT = 4, NUMBER = 8, TAG = 16, INDEX_BITS = 24 };

// What a destination's packets are encrypted with: half a cache line.
struct destination {
  uint8_t key[KEY], salt[SALT];
  uint32_t hop;
  uint64_t number; // of the next packet
};

struct app {
  struct cuckoo addresses; // the value is the destination's index
  struct destination* destinations;
  uint64_t count, room;
  struct hop hops[HOPS];
  EVP_CIPHER_CTX* cipher;
};

// `text` is encrypted in place; number and tag are written behind it.
static bool encrypt(EVP_CIPHER_CTX* cipher, const struct destination* d, uint64_t number, uint8_t* text,
                    int length) {
  uint8_t nonce[SALT + NUMBER];
  int written;
  memcpy(nonce, d->salt, SALT);
  write32(nonce + SALT, (uint32_t)(number >> 32));
  write32(nonce + SALT + 4, (uint32_t)number);
  memcpy(text + length, nonce + SALT, NUMBER);
  return EVP_EncryptInit_ex(cipher, NULL, NULL, d->key, nonce) == 1 &&
         EVP_EncryptUpdate(cipher, text, &written, text, length) == 1 &&
         EVP_EncryptFinal_ex(cipher, text + written, &written) == 1 &&
         EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, TAG, text + length + NUMBER) == 1;
}

static enum verdict forward(const struct app* app, struct rte_mbuf* m, uint16_t* out) {
  uint8_t* frame = rte_pktmbuf_mtod(m, uint8_t*);
  uint8_t* ip = frame + ETHERNET_HEADER;
  if (m->data_len < ETHERNET_HEADER + IPV4_HEADER || ethernet_type(frame) != ETHERNET_IPV4) return NOT_IPV4;
  if (!ipv4_header_ok(ip, m->data_len - ETHERNET_HEADER, m->data_len - ETHERNET_HEADER)) return HEADER;
  if (!ipv4_checksum_ok(ip)) return CHECKSUM;
  if (ip[IPV4_TTL] <= 1) return EXPIRED;
  uint64_t index = cuckoo_look_up(&app->addresses, read32(ip + IPV4_DESTINATION));
  if (index == cuckoo_none) return NO_KEY;
  struct destination* d = &app->destinations[index];
  unsigned header = ipv4_header_octets(ip), length = read16(ip + IPV4_LENGTH);
  if (m->nb_segs > 1 || ETHERNET_HEADER + length + NUMBER + TAG > m->data_len + rte_pktmbuf_tailroom(m))
    return NO_ROOM;
  if (!encrypt(app->cipher, d, d->number++, ip + header, (int)(length - header))) return FAILED;
  write16(ip + IPV4_LENGTH, (uint16_t)(length + NUMBER + TAG));
  ip[IPV4_TTL]--;
  ipv4_set_checksum(ip);
  m->data_len = (uint16_t)(ETHERNET_HEADER + length + NUMBER + TAG);
  m->pkt_len = m->data_len;
  *out = hop_take(&app->hops[d->hop], frame);
  return FORWARDED;
}

uint16_t app_process(const struct app* app, struct rte_mbuf* m, uint16_t port,
                     uint64_t counts[MOST_VERDICTS]) {
  uint16_t out = DROP;
  (void)port;
  counts[forward(app, m, &out)]++;
  return out;
}

static bool add(struct app* app, uint32_t address, const struct destination* d) {
  if (address == 0 || app->count == app->room) return false;
  app->destinations[app->count] = *d;
  return cuckoo_insert(&app->addresses, address, app->count++);
}

// ADDRESS KEY-AND-SALT HOP
static bool add_line(void* to, const char* line) {
  char text[32], hex[2 * (KEY + SALT) + 1];
  uint8_t secret[KEY + SALT];
  struct in_addr address;
  struct destination d = {0};
  if (sscanf(line, "%31[0-9.] %40[0-9a-f] %u", text, hex, &d.hop) != 3 || d.hop >= HOPS) return false;
  if (inet_pton(AF_INET, text, &address) != 1 || strlen(hex) != 2 * sizeof secret) return false;
  for (unsigned i = 0; i < sizeof secret; i++)
    if (sscanf(hex + 2 * i, "%2hhx", &secret[i]) != 1) return false;
  memcpy(d.key, secret, KEY);
  memcpy(d.salt, secret + KEY, SALT);
  return add(to, ntohl(address.s_addr), &d);
}

// Destination `index` of the generated table: 1.0.0.0 and up, spread; an odd factor makes each another.
static uint32_t address_of(uint64_t index) {
  return (1u << 24) + ((uint32_t)index * 0x9e3779b1u & 0x7fffffff);
}

static int fill(struct app* app, const struct options* options) {
  if (options->table) return lines_read(options->table, add_line, app);
  for (uint64_t i = 0; i < options->entries; i++) {
    struct destination d = {.hop = (uint32_t)(i % HOPS)};
    uint64_t secret[3] = {number(options->seed, 3 * i), number(options->seed, 3 * i + 1),
                          number(options->seed, 3 * i + 2)};
    memcpy(d.key, secret, KEY);
    memcpy(d.salt, secret + 2, SALT);
    if (!add(app, address_of(i), &d)) return failed("no room for destination %lu", i);
  }
  return 0;
}

struct app* app_create(const struct options* options) {
  struct app* app = calloc(1, sizeof *app);
  if (!app) return NULL;
  hops_fill(app->hops, options->ports);
  app->room = options->entries;
  app->destinations = memory_create(app->room * sizeof *app->destinations);
  app->cipher = EVP_CIPHER_CTX_new();
  if (!app->destinations || !cuckoo_create(&app->addresses, app->room, INDEX_BITS))
    failed("no memory for %lu destinations", options->entries);
  else if (!app->cipher || EVP_EncryptInit_ex(app->cipher, EVP_aes_128_gcm(), NULL, NULL, NULL) != 1)
    failed("OpenSSL has no AES-128-GCM");
  else if (fill(app, options) == 0)
    return app;
  app_free(app);
  return NULL;
}

void app_free(struct app* app) {
  if (!app) return;
  EVP_CIPHER_CTX_free(app->cipher);
  cuckoo_free(&app->addresses);
  free(app->destinations);
  free(app);
}

enum { TRAFFIC_FRAME = 128 };

unsigned app_generate(const struct options* options, struct traffic* traffic, uint16_t port, uint8_t* frame) {
  uint64_t random = random_next(&traffic->random), index = draw_next(&traffic->draw, &traffic->random);
  bool odd = random_below(&traffic->random, ODD) == 0;
  unsigned which = odd ? 1 + (unsigned)random_below(&traffic->random, 4) : 0;
  uint8_t* ip = frame + ETHERNET_HEADER;
  if (which == 1) index = options->entries + random % 1000;
  ethernet_received(frame, port, which == 2 ? ETHERNET_IPV6 : ETHERNET_IPV4);
  memset(ip, (uint8_t)random, TRAFFIC_FRAME - ETHERNET_HEADER);
  ipv4_write(ip, TRAFFIC_FRAME - ETHERNET_HEADER, which == 3 ? 1 : 64,
             10u << 24 | (uint32_t)(random & 0xffffff), address_of(index));
  if (which == 4) ip[IPV4_TTL] ^= 1;
  return TRAFFIC_FRAME;
}
