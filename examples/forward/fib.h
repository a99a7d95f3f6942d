// The forwarding table of names: a hash table of all prefixes, whole components, as they stand in packets. A name's longest prefix is
// found by trying its prefixes from the longest down.
#ifndef FORWARD_FIB_H
#define FORWARD_FIB_H

#include "cuckoo.h"
#include "ndn.h"

enum {
  FIB_OCTETS = 56,    // of a prefix, at most
  FIB_COMPONENTS = 8, // of a prefix, at most
  FIB_INDEX_BITS = 24,
  FIB_NO_HOP = UINT16_MAX,
};

struct fib_entry {
  uint32_t next; // another prefix with the same key; 0: none
  uint16_t length, hop;
  uint8_t name[FIB_OCTETS];
};

struct fib {
  struct cuckoo keys; // of prefixes; the value is the entry's number, from 1
  struct fib_entry* entries;
  uint64_t count, room;
  unsigned longest; // components
};

bool fib_create(struct fib* f, uint64_t prefixes);
void fib_free(struct fib* f);
// `name`: components, `length` octets. False: too long, or no room.
bool fib_insert(struct fib* f, const uint8_t* name, unsigned length, uint16_t hop);

// The hash of a name with one more element, `octets` with type and length.
static inline uint64_t fib_hash(uint64_t hash, const uint8_t* element, unsigned octets) {
  uint64_t word;
  for (; octets >= sizeof word; element += sizeof word, octets -= sizeof word) {
    memcpy(&word, element, sizeof word);
    hash = mix(hash ^ word);
  }
  word = 0;
  for (unsigned i = 0; i < octets; i++)
    word = word << 8 | element[i];
  return mix(hash ^ word) + octets;
}

static inline uint64_t fib_key(uint64_t hash) {
  return hash >> FIB_INDEX_BITS | 1;
}

static inline uint16_t fib_exact(const struct fib* f, uint64_t hash, const uint8_t* name, unsigned length) {
  uint64_t index = cuckoo_look_up(&f->keys, fib_key(hash));
  if (index == cuckoo_none) return FIB_NO_HOP;
  for (uint32_t i = (uint32_t)index; i; i = f->entries[i].next) {
    const struct fib_entry* entry = &f->entries[i];
    if (entry->length == length && memcmp(entry->name, name, length) == 0) return entry->hop;
  }
  return FIB_NO_HOP;
}

// The hop of the name's longest prefix, FIB_NO_HOP if it has none or is no name.
static inline uint16_t fib_look_up(const struct fib* f, struct piece name) {
  const uint8_t* start = name.at;
  uint64_t hash[FIB_COMPONENTS], last = 0;
  unsigned end[FIB_COMPONENTS], count = 0, type;
  struct piece component;
  while (name.at != name.end && count < f->longest) {
    const uint8_t* from = name.at;
    if (!ndn_element(&name, &type, &component)) return FIB_NO_HOP;
    if (name.at - start > FIB_OCTETS) break;
    hash[count] = last = fib_hash(last, from, (unsigned)(name.at - from));
    end[count++] = (unsigned)(name.at - start);
  }
  uint16_t hop = FIB_NO_HOP;
  while (count-- > 0 && hop == FIB_NO_HOP)
    hop = fib_exact(f, hash[count], start, end[count]);
  return hop;
}

#endif
