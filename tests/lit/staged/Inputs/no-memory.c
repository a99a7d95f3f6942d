// Preloaded: there is no memory for some.
//   NO_MEMORY=mmap    no mapping below 4 MB, so the runtime has none to keep output in; the stacks take more
//   NO_MEMORY=malloc  no block of the size that packets of no-memory.c ask for when they are long
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

static int kind(const char *name) {
  const char *what = getenv("NO_MEMORY");
  return what && strcmp(what, name) == 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  static void *(*next)(void *, size_t, int, int, int, off_t);
  if (!next) next = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
  if (size < 4 << 20 && kind("mmap")) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return next(address, size, protection, flags, file, offset);
}

void *malloc(size_t size) {
  static void *(*next)(size_t);
  if (!next) next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  if (size >= 5000 && size < 1 << 20 && kind("malloc")) {
    errno = ENOMEM;
    return NULL;
  }
  return next(size);
}
