// Within the profile runtime: which of the program's memory lies on large pages.
#ifndef HEDDLE_PROFILE_PAGES_H
#define HEDDLE_PROFILE_PAGES_H

#include <stdint.h>

// Looks at all of the program's memory: between packets, as that takes from microseconds to a hundred milliseconds. Keeps errno.
void heddle_profile_find_large_pages(void);

// A number that tells its large page from all others and from all small ones; 0: it lies on a small page, or nothing is known.
uint64_t heddle_profile_large_page(const void* address);

#endif
