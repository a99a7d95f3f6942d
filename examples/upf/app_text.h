// Lines, tokens and numbers of the text protocols (HTTP, SIP, SMTP, FTP, IMAP, POP3, SSDP).
#ifndef UPF_APP_TEXT_H
#define UPF_APP_TEXT_H

#include "app.h"
#include "app_bytes.h"

// A piece of the payload, not terminated.
struct str {
  const char* p;
  uint32_t n;
};

struct keyword {
  const char* text;
  uint8_t len;
  uint8_t value;
};
#define KEYWORD(text, value) {text, sizeof(text) - 1, value}

// Takes the next line without its line end (CRLF, or a bare LF). *ended tells whether the end was there; the
// last, unfinished line of a segment is returned too. False when nothing is left.
bool text_line(struct cur* c, struct str* line, bool* ended);

// Takes the next token of *s up to a separator character, which is dropped. False if *s is empty.
bool text_token(struct str* s, char separator, struct str* token);

struct str text_trim(struct str s);
bool text_equal(struct str s, const char* lower);    // ignores the case of s; `lower` is lower case
bool text_starts(struct str s, const char* lower);   // the same for a prefix
bool text_find(struct str s, char c, uint32_t* at);  // first place of a character
bool text_contains(struct str s, const char* lower); // a substring (not empty), ignoring the case of s
bool text_number(struct str s, uint64_t* value);     // decimal digits and nothing else; no overflow
bool text_hex(struct str s, uint64_t* value);        // hexadecimal digits, at least one
bool text_printable(struct str s);                   // no control characters but tab

// The value of the keyword that s is (case of s ignored), 0 if none. Tables end with a null text.
uint8_t text_keyword(struct str s, const struct keyword* table);
// The value of the first keyword that s begins with and that a space, the end or a CR follows.
uint8_t text_command(struct str s, const struct keyword* table);

// Three digits and a space or a dash, as every reply of FTP and SMTP begins; 0 if not.
uint16_t text_reply(struct str line, bool* continues);

// Dotted IPv4 and IPv6 text to network order. False if it is none.
bool text_ipv4(struct str s, uint8_t out[4]);
bool text_ipv6(struct str s, uint8_t out[16]);

// Copies a host name to info->host: lower case, port and final dot dropped, cut at APP_HOST_MAX.
// False, and nothing copied, if it holds what no host name may hold.
bool text_host(struct app_info* info, struct str s);

// Adds an address that the message announces; ignores it when the array is full.
void app_add_addr(struct app_info* info, const uint8_t* addr, bool v6, uint8_t proto, uint8_t app,
                  uint16_t port, uint32_t ttl);

#endif
