#include "fib.h"
#include "memory.h"
#include <stdlib.h>

bool fib_create(struct fib* f, uint64_t prefixes) {
  *f = (struct fib){.room = prefixes};
  f->entries = memory_create((prefixes + 1) * sizeof *f->entries);
  return f->entries && cuckoo_create(&f->keys, prefixes, FIB_INDEX_BITS);
}

void fib_free(struct fib* f) {
  free(f->entries);
  cuckoo_free(&f->keys);
}

// The hash of the whole name and how many components it has; 0: it is no name.
static unsigned components(const uint8_t* name, unsigned length, uint64_t* hash) {
  struct piece rest = {name, name + length}, component;
  unsigned count = 0, type;
  *hash = 0;
  while (rest.at != rest.end) {
    const uint8_t* from = rest.at;
    if (!ndn_element(&rest, &type, &component)) return 0;
    *hash = fib_hash(*hash, from, (unsigned)(rest.at - from));
    count++;
  }
  return count;
}

bool fib_insert(struct fib* f, const uint8_t* name, unsigned length, uint16_t hop) {
  uint64_t hash;
  unsigned count = components(name, length, &hash);
  if (count == 0 || count > FIB_COMPONENTS || length > FIB_OCTETS || f->count == f->room) return false;
  uint64_t known = cuckoo_look_up(&f->keys, fib_key(hash));
  struct fib_entry* entry = &f->entries[++f->count];
  *entry = (struct fib_entry){
      .next = known == cuckoo_none ? 0 : (uint32_t)known, .length = (uint16_t)length, .hop = hop};
  memcpy(entry->name, name, length);
  if (count > f->longest) f->longest = count;
  return cuckoo_insert(&f->keys, fib_key(hash), f->count);
}
