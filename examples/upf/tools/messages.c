// The dialogues are short but whole: every message would be taken by a real peer, up to encrypted content,
// which is random.
#include "messages.h"

#include <string.h>

enum { SITES = 16 };

const char* site_name(uint32_t site) {
  static const char* const names[SITES] = {
      "www.example.com",   "cdn.example.com",     "api.example.org",    "video.example.net",
      "mail.example.com",  "images.example.net",  "login.example.org",  "maps.example.com",
      "store.example.net", "news.example.org",    "static.example.com", "edge-7.cdn.example.net",
      "voice.example.org", "updates.example.com", "chat.example.net",   "telemetry.example.org"};
  return names[site % SITES];
}

static void put_name(struct buf* m, const char* name) {
  while (*name) {
    uint32_t n = (uint32_t)strcspn(name, ".");
    put_u8(m, n);
    put_bytes(m, name, n);
    name += n + (name[n] == '.');
  }
  put_u8(m, 0);
}

static bool dns(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  bool aaaa = f->id & 1;
  if (f->step > 1) return false;
  *uplink = f->step == 0;
  put_u16(m, f->id);
  put_u16(m, *uplink ? 0x0100 : 0x8180);
  put_u16(m, 1);
  put_u16(m, *uplink ? 0 : 3);
  put_u16(m, 0);
  put_u16(m, 1);
  put_name(m, site_name(f->site));
  put_u16(m, aaaa ? 28 : 1);
  put_u16(m, 1);
  if (!*uplink) {
    uint32_t target = m->len + 12;
    put_u32(m, 0xc00c0005); // the name again, an alias
    put_u16(m, 1);
    put_u32(m, 300);
    put_u16(m, 14);
    put_u8(m, 4);
    put_text(m, "edge");
    put_name(m, "example");
    for (int i = 0; i < 2; i++) {
      put_u16(m, 0xc000 | target);
      put_u16(m, aaaa ? 28 : 1);
      put_u16(m, 1);
      put_u32(m, 60 + rng_below(r, 3600));
      put_u16(m, aaaa ? 16 : 4);
      if (aaaa)
        put_u32(m, 0x20010db8), put_u32(m, 0xcafe0000), put_u32(m, 0), put_u32(m, f->site * 2 + (uint32_t)i);
      else
        put_u32(m, 0xcb007100 + f->site * 2 + (uint32_t)i);
    }
  }
  put_u8(m, 0); // EDNS: root name, type, size, flags, a cookie
  put_u16(m, 41);
  put_u16(m, 1232);
  put_u32(m, 0);
  put_u16(m, 12);
  put_u32(m, 0x000a0008);
  put_random(m, r, 8);
  return true;
}

// Room for a length that is known later.
static uint32_t open_length(struct buf* m, uint32_t bytes) {
  put_zero(m, bytes);
  return m->len;
}
static void close_length(struct buf* m, uint32_t start, uint32_t bytes) {
  uint32_t n = m->len - start;
  uint8_t* p = m->data + start - bytes;
  if (bytes == 1)
    p[0] = (uint8_t)n;
  else if (bytes == 2)
    set_u16(p, n);
  else
    set_u24(p, n);
}

static void put_extension(struct buf* m, uint16_t type, const void* data, uint32_t n) {
  put_u16(m, type);
  put_u16(m, n);
  put_bytes(m, data, n);
}

static void put_extensions(struct buf* m, struct flow* f, struct rng* r) {
  static const uint8_t groups[] = {0, 8, 0x2a, 0x2a, 0, 0x1d, 0, 0x17, 0, 0x18};
  static const uint8_t signatures[] = {0, 8, 4, 3, 8, 4, 4, 1, 5, 3};
  static const uint8_t alpn_h2[] = {0, 12, 2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  static const uint8_t versions[] = {6, 0x3a, 0x3a, 3, 4, 3, 3};
  static const uint8_t formats[] = {1, 0}, modes[] = {1, 1}, status[] = {1, 0, 0, 0, 0};
  put_u16(m, 0); // server name
  uint32_t whole = open_length(m, 2), list = open_length(m, 2);
  put_u8(m, 0);
  uint32_t name = open_length(m, 2);
  put_text(m, "%s", site_name(f->site));
  close_length(m, name, 2);
  close_length(m, list, 2);
  close_length(m, whole, 2);
  put_extension(m, 23, "", 0);
  put_extension(m, 0xff01, "", 1);
  put_extension(m, 10, groups, sizeof groups);
  put_extension(m, 11, formats, sizeof formats);
  put_extension(m, 35, "", 0);
  put_extension(m, 16, alpn_h2, sizeof alpn_h2);
  put_extension(m, 5, status, sizeof status);
  put_extension(m, 13, signatures, sizeof signatures);
  put_u32(m, 0x00330026); // key share: one group
  put_u32(m, 0x0024001d);
  put_u16(m, 32);
  put_random(m, r, 32);
  put_extension(m, 45, modes, sizeof modes);
  put_extension(m, 43, versions, sizeof versions);
}

static void put_client_hello(struct buf* m, struct flow* f, struct rng* r) {
  static const uint8_t ciphers[] = {0x1a, 0x1a, 0x13, 1,    0x13, 2,    0x13, 3,    0xc0, 0x2b, 0xc0, 0x2f,
                                    0xc0, 0x2c, 0xc0, 0x30, 0xcc, 0xa9, 0xcc, 0xa8, 0,    0x9c, 0,    0x2f};
  put_u8(m, 22);
  put_u16(m, 0x0301);
  uint32_t record = open_length(m, 2);
  put_u8(m, 1);
  uint32_t hello = open_length(m, 3);
  put_u16(m, 0x0303);
  put_random(m, r, 32);
  put_u8(m, 32);
  put_random(m, r, 32);
  uint32_t n = (uint32_t)sizeof ciphers - (f->site & 3) * 2; // clients differ
  put_u16(m, n);
  put_bytes(m, ciphers, n);
  put_u16(m, 0x0100);
  uint32_t extensions = open_length(m, 2);
  put_extensions(m, f, r);
  close_length(m, extensions, 2);
  close_length(m, hello, 3);
  close_length(m, record, 2);
}

static void put_record(struct buf* m, struct rng* r, uint8_t type, uint32_t n) {
  put_u8(m, type);
  put_u16(m, 0x0303);
  put_u16(m, n);
  put_random(m, r, n);
}

static void put_server_hello(struct buf* m, struct rng* r) {
  put_u8(m, 22);
  put_u16(m, 0x0303);
  uint32_t record = open_length(m, 2);
  put_u8(m, 2);
  uint32_t hello = open_length(m, 3);
  put_u16(m, 0x0303);
  put_random(m, r, 32);
  put_u8(m, 0);
  put_u16(m, 0x1301);
  put_u8(m, 0);
  uint32_t extensions = open_length(m, 2);
  put_u32(m, 0x002b0002);
  put_u16(m, 0x0304);
  put_u32(m, 0x00330024);
  put_u32(m, 0x001d0020);
  put_random(m, r, 32);
  close_length(m, extensions, 2);
  close_length(m, hello, 3);
  close_length(m, record, 2);
  put_bytes(m, "\x14\x03\x03\x00\x01\x01", 6);
  put_record(m, r, 23, 900 + rng_below(r, 400));
}

static bool tls(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  *uplink = f->step % 5 == 0 || f->step == 2;
  if (f->step == 0)
    put_client_hello(m, f, r);
  else if (f->step == 1)
    put_server_hello(m, r);
  else if (f->step == 2)
    put_bytes(m, "\x14\x03\x03\x00\x01\x01", 6), put_record(m, r, 23, 53);
  else if (*uplink)
    put_record(m, r, 23, 80 + rng_below(r, 500));
  else
    put_record(m, r, 23, 600 + rng_below(r, 790));
  return f->step < f->length;
}

static bool http(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  static const char* const agents[] = {"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/115.0",
                                       "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)",
                                       "curl/7.88.1", "okhttp/4.11.0", "AppleCoreMedia/1.0.0"};
  static const char* const types[] = {"text/html; charset=utf-8", "image/webp", "application/json",
                                      "video/mp4"};
  uint32_t part = f->step % 6;
  *uplink = part == 0;
  if (part == 0 && f->step % 12 == 6) {
    put_text(m, "POST /v1/items/%u HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n", f->id,
             site_name(f->site));
    put_text(m, "Content-Length: 17\r\nUser-Agent: %s\r\n\r\n{\"value\": %7u}", agents[f->site % 5],
             rng_below(r, 9999999));
  } else if (part == 0) {
    put_text(m, "GET /a/%x/%x.html?session=%u HTTP/1.1\r\nHost: %s\r\n", rng_below(r, 4096),
             rng_below(r, 1u << 30), f->id, site_name(f->site));
    put_text(m,
             "User-Agent: %s\r\nAccept: */*\r\nAccept-Encoding: gzip, br\r\nConnection: keep-alive\r\n\r\n",
             agents[f->site % 5]);
  } else if (part == 1) {
    put_text(m, "HTTP/1.1 %s\r\nServer: nginx\r\nContent-Type: %s\r\n",
             rng_chance(r, 0.9) ? "200 OK" : "404 Not Found", types[f->site % 4]);
    if (f->id % 3)
      put_text(m, "Content-Length: %u\r\n\r\n", 400 + 4 * 1200);
    else
      put_text(m, "Transfer-Encoding: chunked\r\n\r\n%x\r\n", 400 + 4 * 1200);
    put_random(m, r, 400);
  } else {
    put_random(m, r, 1200);
  }
  return f->step < f->length;
}

static void put_quic_long(struct buf* m, struct rng* r, struct flow* f, uint8_t type, uint32_t n) {
  bool v2 = f->site % 5 == 4;
  put_u8(m, 0xc0 | ((type + v2) & 3) << 4 | 1);
  put_u32(m, v2 ? 0x6b3343cf : 1);
  put_u8(m, 8);
  put_u32(m, 0x51c00000 + f->id);
  put_u32(m, f->id * 2654435761u);
  put_u8(m, 8);
  put_u32(m, f->id * 40503u);
  put_u32(m, f->site);
  if (type == 0) put_u8(m, 0); // token
  put_u16(m, 0x4000 | n);
  put_random(m, r, n);
}

static bool quic(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  *uplink = f->step % 4 == 0 || f->step == 2;
  if (f->step == 0) {
    put_quic_long(m, r, f, 0, 1200 - 26);
  } else if (f->step == 1) {
    put_quic_long(m, r, f, 0, 200);
    put_quic_long(m, r, f, 2, 900);
  } else if (f->step == 2) {
    put_quic_long(m, r, f, 2, 80);
  } else {
    put_u8(m, 0x40 | rng_below(r, 64));
    put_u32(m, 0x51c00000 + f->id);
    put_random(m, r, *uplink ? 30 + rng_below(r, 90) : 900 + rng_below(r, 300));
  }
  return f->step < f->length;
}

static void put_host(struct buf* m, const struct address* a) {
  const uint8_t* b = a->bytes;
  if (!a->v6)
    put_text(m, "%u.%u.%u.%u", b[0], b[1], b[2], b[3]);
  else
    for (int i = 0; i < 8; i++)
      put_text(m, i ? ":%x" : "%x", read_u16(b + 2 * i));
}

static void put_sdp(struct buf* m, const struct address* at, uint16_t port) {
  put_text(m, "v=0\r\no=- 3 1 IN %s ", at->v6 ? "IP6" : "IP4");
  put_host(m, at);
  put_text(m, "\r\ns=-\r\nc=IN %s ", at->v6 ? "IP6" : "IP4");
  put_host(m, at);
  put_text(m, "\r\nt=0 0\r\nm=audio %u RTP/AVP 0 8 101\r\na=rtpmap:0 PCMU/8000\r\na=rtpmap:8 PCMA/8000\r\n",
           port);
  put_text(m, "a=rtpmap:101 telephone-event/8000\r\na=sendrecv\r\n");
}

static void put_sip(struct buf* m, struct flow* f, const char* start, const char* method, uint32_t cseq,
                    const struct buf* body) {
  put_text(m, "%s\r\nVia: SIP/2.0/UDP ue%u.example.org:5060;branch=z9hG4bK%x\r\nMax-Forwards: 70\r\n", start,
           f->user, f->id);
  put_text(m, "From: \"UE %u\" <sip:ue%u@ims.example.org>;tag=%x\r\nTo: <sip:%u@ims.example.org>\r\n",
           f->user, f->user, f->id, f->site + 1000);
  put_text(m, "Call-ID: %x-%u@ue%u\r\nCSeq: %u %s\r\nContact: <sip:ue%u@ue.example.org>\r\n",
           f->id * 2654435761u, f->id, f->user, cseq, method, f->user);
  if (body) put_text(m, "Content-Type: application/sdp\r\n");
  put_text(m, "Content-Length: %u\r\n\r\n", body ? body->len : 0);
  if (body) put_bytes(m, body->data, body->len);
}

static bool sip(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  (void)r;
  struct buf sdp;
  sdp.len = 0;
  *uplink = f->step == 0 || f->step == 4;
  switch (f->step) {
  case 0:
    put_sdp(&sdp, &f->ue, f->id | 0x4000u);
    put_sip(m, f, "INVITE sip:called@ims.example.org SIP/2.0", "INVITE", 1, &sdp);
    return true;
  case 1:
    put_sip(m, f, "SIP/2.0 100 Trying", "INVITE", 1, NULL);
    return true;
  case 2:
    put_sip(m, f, "SIP/2.0 180 Ringing", "INVITE", 1, NULL);
    return true;
  case 3:
    put_sdp(&sdp, &f->remote, (f->id ^ 0x1000u) | 0x4000u);
    put_sip(m, f, "SIP/2.0 200 OK", "INVITE", 1, &sdp);
    return true;
  case 4:
    put_sip(m, f, "ACK sip:called@ims.example.org SIP/2.0", "ACK", 1, NULL);
    return true;
  default:
    return false;
  }
}

// G.711 both ways, and on every 64th message a report on the next port (the caller looks at the parity of
// step).
static bool rtp(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  *uplink = f->step & 1;
  uint32_t ssrc = f->id * 2654435761u + *uplink;
  if (f->step % 64 == 62) {
    put_u32(m, 0x81c8000c); // sender report with one block
    put_u32(m, ssrc);
    put_u32(m, 0xe9000000 + f->step);
    put_u32(m, 0);
    put_u32(m, f->ts);
    put_u32(m, f->step / 2);
    put_u32(m, f->step * 80);
    put_u32(m, ssrc ^ 1);
    put_zero(m, 20);
    put_u32(m, 0x81ca0004); // source description: a canonical name
    put_u32(m, ssrc);
    put_u16(m, 0x0108);
    put_text(m, "ue@n%04x", f->id);
    put_zero(m, 2);
  } else {
    put_u16(m, 0x8000);
    put_u16(m, f->seq[*uplink]++);
    put_u32(m, f->ts);
    put_u32(m, ssrc);
    put_random(m, r, 160);
    if (*uplink) f->ts += 160;
  }
  return f->step < f->length;
}

static void put_kexinit(struct buf* m, struct rng* r) {
  static const char* const lists[] = {"curve25519-sha256,ecdh-sha2-nistp256,diffie-hellman-group14-sha256",
                                      "ssh-ed25519,rsa-sha2-512",
                                      "chacha20-poly1305@openssh.com,aes128-ctr,aes256-gcm@openssh.com",
                                      "aes128-ctr,aes256-gcm@openssh.com",
                                      "hmac-sha2-256-etm@openssh.com,hmac-sha2-256",
                                      "hmac-sha2-256",
                                      "none,zlib@openssh.com",
                                      "none",
                                      "",
                                      ""};
  uint32_t start = m->len;
  put_zero(m, 5);
  put_u8(m, 20);
  put_random(m, r, 16);
  for (int i = 0; i < 10; i++) {
    put_u32(m, (uint32_t)strlen(lists[i]));
    put_text(m, "%s", lists[i]);
  }
  put_u8(m, 0);
  put_u32(m, 0);
  uint32_t padding = 4;
  while ((m->len - start + padding) % 8)
    padding++;
  put_zero(m, padding);
  set_u32(m->data + start, m->len - start - 4);
  m->data[start + 4] = (uint8_t)padding;
}

static bool ssh(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  *uplink = f->step % 2;
  if (f->step < 2)
    put_text(m, "SSH-2.0-OpenSSH_%u.%up1\r\n", 8 + f->site % 2, f->site % 10);
  else if (f->step < 4)
    put_kexinit(m, r);
  else
    put_random(m, r, 36 + 16 * rng_below(r, 20));
  return f->step < f->length;
}

static bool smtp(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  *uplink = f->step % 2;
  switch (f->step) {
  case 0:
    put_text(m, "220 %s ESMTP ready\r\n", site_name(4));
    return true;
  case 1:
    put_text(m, "EHLO ue%u.example.org\r\n", f->user);
    return true;
  case 2:
    put_text(m, "250-%s\r\n250-SIZE 52428800\r\n250-8BITMIME\r\n250 STARTTLS\r\n", site_name(4));
    return true;
  case 3:
    put_text(m, "MAIL FROM:<user%u@example.org> SIZE=1200\r\n", f->user);
    return true;
  case 4:
  case 6:
    put_text(m, "250 2.1.0 Ok\r\n");
    return true;
  case 5:
    put_text(m, "RCPT TO:<list%u@%s>\r\n", f->site, site_name(4));
    return true;
  case 7:
    put_text(m, "DATA\r\n");
    return true;
  case 8:
    put_text(m, "354 End data with <CR><LF>.<CR><LF>\r\n");
    return true;
  case 9:
    put_text(m, "Subject: message %u\r\nMessage-Id: <%x@example.org>\r\n\r\n", f->id, rng_below(r, 1u << 30));
    for (int i = 0; i < 12; i++)
      put_text(m, "Line %d of a message of no importance whatsoever.\r\n", i);
    put_text(m, ".\r\n");
    return true;
  case 10:
    put_text(m, "250 2.0.0 Ok: queued as %X\r\n", rng_below(r, 1u << 30));
    return true;
  case 11:
    put_text(m, "QUIT\r\n");
    return true;
  case 12:
    put_text(m, "221 2.0.0 Bye\r\n");
    return true;
  default:
    return false;
  }
}

static bool ftp(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  const uint8_t* a = f->remote.bytes;
  uint32_t port = 0x8000u | f->id;
  (void)r;
  *uplink = f->step % 2;
  switch (f->step) {
  case 0:
    put_text(m, "220 FTP server ready\r\n");
    return true;
  case 1:
    put_text(m, "USER anonymous\r\n");
    return true;
  case 2:
    put_text(m, "331 Please specify the password.\r\n");
    return true;
  case 3:
    put_text(m, "PASS ue%u@example.org\r\n", f->user);
    return true;
  case 4:
    put_text(m, "230 Login successful.\r\n");
    return true;
  case 5:
    put_text(m, "TYPE I\r\n");
    return true;
  case 6:
    put_text(m, "200 Switching to Binary mode.\r\n");
    return true;
  case 7:
    put_text(m, f->ue.v6 ? "EPSV\r\n" : "PASV\r\n");
    return true;
  case 8:
    if (f->ue.v6)
      put_text(m, "229 Entering Extended Passive Mode (|||%u|)\r\n", port);
    else
      put_text(m, "227 Entering Passive Mode (%u,%u,%u,%u,%u,%u).\r\n", a[0], a[1], a[2], a[3], port >> 8,
               port & 255);
    return true;
  case 9:
    put_text(m, "RETR file%u.bin\r\n", f->site);
    return true;
  case 10:
    put_text(m, "150 Opening BINARY mode data connection for file%u.bin.\r\n", f->site);
    return true;
  default:
    return false;
  }
}

static bool ntp(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  *uplink = f->step % 2 == 0;
  if (f->step > 1) return false;
  put_u8(m, *uplink ? 0x23 : 0x24);
  put_u8(m, *uplink ? 0 : 2);
  put_u16(m, 0x06ec);
  put_u32(m, *uplink ? 0 : 0x150);
  put_u32(m, *uplink ? 0 : 0x220);
  put_u32(m, *uplink ? 0 : 0xc0000201);
  put_u32(m, *uplink ? 0 : 0xe9000100);
  put_u32(m, 0);
  put_u32(m, *uplink ? 0 : 0xe9000200);
  put_u32(m, f->id);
  put_u32(m, *uplink ? 0 : 0xe9000200);
  put_random(m, r, 4);
  put_u32(m, *uplink ? 0xe90001ff : 0xe9000201);
  put_random(m, r, 4);
  return true;
}

static bool dhcp(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  (void)r;
  *uplink = f->step % 2 == 0;
  if (f->step > 1) return false;
  put_u32(m, *uplink ? 0x01010600 : 0x02010600);
  put_u32(m, f->id * 65537u);
  put_u32(m, 0);
  put_bytes(m, f->ue.bytes, 4);
  put_zero(m, 12);
  put_u16(m, 0x0200);
  put_u32(m, f->user);
  put_zero(m, 10 + 192);
  put_u32(m, 0x63825363);
  put_u8(m, 53), put_u8(m, 1), put_u8(m, *uplink ? 3 : 5);
  if (*uplink) {
    put_u8(m, 12), put_u8(m, 4), put_text(m, "ue%02u", f->user % 100);
    put_u8(m, 55), put_u8(m, 4), put_u32(m, 0x01031c06);
  } else {
    put_u8(m, 1), put_u8(m, 4), put_u32(m, 0xffff0000);
    put_u8(m, 3), put_u8(m, 4), put_u32(m, 0x0a2dfffe);
    put_u8(m, 51), put_u8(m, 4), put_u32(m, 86400);
    put_u8(m, 54), put_u8(m, 4), put_bytes(m, f->remote.bytes, 4);
  }
  put_u8(m, 255);
  return true;
}

static bool stun(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  *uplink = f->step % 2 == 0;
  put_u16(m, *uplink ? 0x0001 : 0x0101);
  put_u16(m, *uplink ? 8 : 12);
  put_u32(m, 0x2112a442);
  put_random(m, r, 12);
  put_u16(m, *uplink ? 0x0024 : 0x0020);
  put_u16(m, *uplink ? 4 : 8);
  if (!*uplink) put_u16(m, 1), put_u16(m, f->ue_port ^ 0x2112);
  put_u32(m, rng_below(r, 1u << 31));
  return f->step < f->length;
}

static bool noise(struct flow* f, struct rng* r, bool* uplink, struct buf* m, uint32_t up, uint32_t down) {
  *uplink = rng_below(r, 8) < (up > down ? 6u : 2u);
  uint32_t n = *uplink ? up : down;
  // The first byte keeps clear of the protocols that the receiver knows by one byte.
  put_u8(m, 0x67);
  put_random(m, r, n / 2 + rng_below(r, n / 2 + 1));
  return f->step < f->length;
}

bool next_message(struct flow* f, struct rng* r, bool* uplink, struct buf* m) {
  switch (f->kind) {
  case FLOW_DNS:
    return dns(f, r, uplink, m);
  case FLOW_TLS:
    return tls(f, r, uplink, m);
  case FLOW_HTTP:
    return http(f, r, uplink, m);
  case FLOW_QUIC:
    return quic(f, r, uplink, m);
  case FLOW_SIP:
    return sip(f, r, uplink, m);
  case FLOW_RTP:
    return rtp(f, r, uplink, m);
  case FLOW_SSH:
    return ssh(f, r, uplink, m);
  case FLOW_SMTP:
    return smtp(f, r, uplink, m);
  case FLOW_FTP:
    return ftp(f, r, uplink, m);
  case FLOW_NTP:
    return ntp(f, r, uplink, m);
  case FLOW_DHCP:
    return dhcp(f, r, uplink, m);
  case FLOW_STUN:
    return stun(f, r, uplink, m);
  case FLOW_FTP_DATA:
    return noise(f, r, uplink, m, 1, 1380);
  case FLOW_BULK:
    return noise(f, r, uplink, m, f->site % 3 ? 120 : 1380, 1380);
  case FLOW_GAME:
    return noise(f, r, uplink, m, 90, 160);
  case FLOW_BIG_UDP:
    return noise(f, r, uplink, m, 2600, 3800);
  default:
    return false;
  }
}
