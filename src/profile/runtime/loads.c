// Simulated data caches: which level answers each load of the packets.
//
// Instrumented loads and stores call heddle_profile_access() while heddle_profile_watching is set: in packets of one thread, the first
// that runs any, until as many accesses were seen as the header allows. The caches are real sets and ways, least recently used line
// out first, filled by loads and stores alike, each level by what the one above missed. What a load reads next to its own last line
// counts as found: the processor's prefetchers see to it. Translations are a set-associative table of pages, of the
// sizes that the kernel has given the program (pages.c). What library functions touch is not seen; how long they take is measured, by
// heddle_profile_called() behind each call of one, as nothing in them was changed.
#define _GNU_SOURCE
#include "loads_format.h"
#include "packets.h"
#include "pages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

__thread int heddle_profile_watching;

struct cache {
  uint64_t* lines; // sets x ways, most recent first; numbers from 1
  uint64_t sets, ways;
};

static struct heddle_loads_header* table;
static struct heddle_load_counts* counts;
static struct heddle_call_times* times;
static uint64_t no_time; // between two readings of the counter
static struct cache caches[HEDDLE_LOADS_LEVELS], pages;
static uint64_t* last_line; // by load
static uint64_t look_again; // at pages, when so many accesses were simulated
static __thread int is_owner;

static void* zeroed(uint64_t bytes) {
  void* memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static int make_cache(struct cache* cache, uint64_t sets, uint64_t ways) {
  cache->sets = sets;
  cache->ways = ways;
  cache->lines = zeroed(sets * ways * sizeof(uint64_t));
  return cache->lines != NULL;
}

__attribute__((constructor(102))) static void start(void) {
  const char* path = getenv("HEDDLE_PROFILE_LOADS");
  struct stat s;
  int fd = path && *path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0 || fstat(fd, &s) != 0) return;
  void* map = mmap(NULL, (size_t)s.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (map == MAP_FAILED) return;
  struct heddle_loads_header* header = map;
  for (unsigned level = 0; level < HEDDLE_LOADS_LEVELS; ++level)
    if (!make_cache(&caches[level], header->sets[level], header->ways[level])) return;
  if (!make_cache(&pages, header->translations / header->translation_ways, header->translation_ways)) return;
  last_line = zeroed((header->loads + 1) * sizeof *last_line);
  if (!last_line) return;
  counts = (struct heddle_load_counts*)(header + 1);
  times = (struct heddle_call_times*)(counts + 3 * header->loads);
  no_time = UINT64_MAX;
  for (unsigned i = 0; i != 64; ++i) {
    const uint64_t before = __builtin_readcyclecounter(), between = __builtin_readcyclecounter() - before;
    if (between < no_time) no_time = between;
  }
  table = header;
}

void heddle_profile_loads_begin(void) {
  if (!table) return;
  if (!is_owner && !__atomic_exchange_n(&table->owner, 1, __ATOMIC_RELAXED)) is_owner = 1;
  heddle_profile_watching = is_owner && table->accesses < table->most_accesses;
  // Tables may grow: again after each doubling.
  if (!heddle_profile_watching || table->accesses < look_again) return;
  heddle_profile_find_large_pages();
  look_again = table->accesses < 65536 ? 65536 : 2 * table->accesses;
}

void heddle_profile_loads_end(void) {
  heddle_profile_watching = 0;
}

// Is the line there? It is the most recent one of its set then.
static int find(struct cache* cache, uint64_t line) {
  uint64_t* set = cache->lines + line % cache->sets * cache->ways;
  uint64_t way = 0;
  while (way + 1 < cache->ways && set[way] != line + 1)
    ++way;
  const int found = set[way] == line + 1;
  memmove(set + 1, set, way * sizeof *set);
  set[0] = line + 1;
  return found;
}

// As often as the load was made once more as often as before.
static void keep_copy(uint32_t load) {
  struct heddle_load_counts *last = counts + table->loads + load, *before = last + table->loads;
  *before = *last;
  *last = counts[load];
}

// `load`: its number, or HEDDLE_LOADS_STORE. Registers are the program's.
__attribute__((preserve_most)) void heddle_profile_access(const void* address, uint32_t load) {
  const uint64_t line = (uint64_t)address / table->line_bytes;
  unsigned level = 0;
  while (level < HEDDLE_LOADS_LEVELS && !find(&caches[level], line))
    ++level;
  const uint64_t large = heddle_profile_large_page(address);
  const int walks = !find(&pages, large ? large : (uint64_t)address / table->page_bytes);
  if (load != HEDDLE_LOADS_STORE) {
    struct heddle_load_counts* own = &counts[load];
    const uint64_t step = line - last_line[load] + 1;
    last_line[load] = line;
    ++own->accesses;
    if (level > 0 && step > 2) {
      ++own->found[level - 1];
      own->walks += walks;
    }
    if ((own->accesses & (own->accesses - 1)) == 0) keep_copy(load);
  }
  if (++table->accesses >= table->most_accesses) heddle_profile_watching = 0;
}

// `since`: the counter before the call. Registers are the program's.
__attribute__((preserve_most)) void heddle_profile_called(uint64_t since, uint32_t call) {
  const uint64_t all = __builtin_readcyclecounter() - since;
  if (!table || !is_owner) return;
  const uint64_t ticks = all > no_time ? all - no_time : 0;
  unsigned bucket = 0;
  if (ticks >= 4) {
    const unsigned doublings = 63 - (unsigned)__builtin_clzll(ticks);
    bucket = 4 * doublings + (unsigned)(ticks >> (doublings - 2) & 3);
  }
  ++times[call].calls[bucket < HEDDLE_CALL_BUCKETS ? bucket : HEDDLE_CALL_BUCKETS - 1];
}
