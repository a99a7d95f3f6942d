// Tables of hundreds of megabytes often lie on pages of 2 MiB: the program asks for them (madvise, hugetlbfs, as DPDK does), or the kernel gives them
// to all. Their translations then stay at hand, and a look-up takes no walk of the page table, which is as long as the wait for memory
// itself in a virtual machine.
//
// The kernel tells in /proc/self/smaps, of each mapping as a whole; one with large pages for at least half of what is there counts as lying on
// them. (PAGEMAP_SCAN tells of each page, from Linux 6.7 on.) Where that file cannot be read all pages count as small. Only system
// calls and a fixed buffer: the program may be anywhere, in its allocator, too.
#include "pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANGES = 1024, LINE = 256 };

static const uint64_t large_bytes = 2 << 20;

struct range {
  uint64_t begin, end;
};

// Those on large pages, in order of addresses.
static struct range ranges[MOST_RANGES];
static size_t count, last;

// The mapping that is being read.
static struct {
  struct range range;
  uint64_t there, large, page; // KiB
} mapping;

// The hexadecimal or decimal number at `*text`, which is then behind it.
static uint64_t number(const char** text, unsigned base) {
  uint64_t value = 0;
  for (;; ++*text) {
    const char c = **text;
    const unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                                  : 16;
    if (digit >= base) return value;
    value = value * base + digit;
  }
}

static void end_mapping(void) {
  const int on_large =
      mapping.page * 1024 >= large_bytes || (mapping.large > 0 && 2 * mapping.large >= mapping.there);
  if (!on_large || mapping.range.end == 0) return;
  if (count > 0 && ranges[count - 1].end == mapping.range.begin)
    ranges[count - 1].end = mapping.range.end;
  else if (count != MOST_RANGES)
    ranges[count++] = mapping.range;
}

static uint64_t field(const char* line, const char* name) {
  const size_t length = strlen(name);
  if (strncmp(line, name, length) != 0) return 0;
  for (line += length; *line == ' ';)
    ++line;
  return number(&line, 10);
}

// "BEGIN-END ..." starts a mapping, "Name:   N kB" says something of it.
static void take_line(const char* line) {
  if (line[0] >= 'A' && line[0] <= 'Z') {
    mapping.there += field(line, "Rss:");
    mapping.page += field(line, "KernelPageSize:");
    mapping.large +=
        field(line, "AnonHugePages:") + field(line, "ShmemPmdMapped:") + field(line, "FilePmdMapped:");
    return;
  }
  end_mapping();
  memset(&mapping, 0, sizeof mapping);
  mapping.range.begin = number(&line, 16);
  if (*line++ == '-') mapping.range.end = number(&line, 16);
}

static void take_file(int file) {
  static char buffer[4096], line[LINE];
  size_t length = 0;
  ssize_t got;
  while ((got = read(file, buffer, sizeof buffer)) > 0)
    for (ssize_t i = 0; i != got; ++i) {
      if (buffer[i] != '\n') {
        if (length + 1 != LINE) line[length++] = buffer[i]; // of long names the rest is of no use
        continue;
      }
      line[length] = 0;
      take_line(line);
      length = 0;
    }
  end_mapping();
}

void heddle_profile_find_large_pages(void) {
  const int kept = errno;
  const int file = open("/proc/self/smaps", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    count = last = 0;
    memset(&mapping, 0, sizeof mapping);
    take_file(file);
    close(file);
  }
  errno = kept;
}

uint64_t heddle_profile_large_page(const void* address) {
  const uint64_t at = (uint64_t)address;
  if (count == 0) return 0;
  if (at < ranges[last].begin || at >= ranges[last].end) {
    size_t low = 0, high = count; // the first that ends behind the address
    while (low != high) {
      const size_t middle = low + (high - low) / 2;
      if (ranges[middle].end <= at)
        low = middle + 1;
      else
        high = middle;
    }
    if (low == count || at < ranges[low].begin) return 0;
    last = low;
  }
  // Small pages' numbers have their upper bits clear.
  return at / large_bytes | UINT64_C(1) << 60;
}
