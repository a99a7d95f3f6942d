// The file that the tool reads afterwards.
#include "watch.h"

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" const char heddle_dependencies_program[]; // Program::id; the instrumented program brings it

namespace heddle::dependencies {

File* file = nullptr;

namespace {

// Made by the tool, in its size. A program that is started anew by the program goes on with the same file.
__attribute__((constructor(101))) void open_file() {
  const char* path = getenv("HEDDLE_DEPENDENCIES_OUT");
  if (path == nullptr || *path == '\0') return;
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return;
  void* map = mmap(nullptr, sizeof(File), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (map == MAP_FAILED) return;
  auto* opened = static_cast<File*>(map);
  if (memcmp(opened->magic, file_magic, sizeof file_magic) == 0 &&
      strncmp(opened->program, heddle_dependencies_program, sizeof opened->program) == 0)
    file = opened;
}

bool same(const Pair& entry, const Pair& pair) {
  return entry.first_place == pair.first_place && entry.second_place == pair.second_place &&
         entry.relaxation == pair.relaxation && entry.first_writes == pair.first_writes &&
         entry.second_writes == pair.second_writes;
}

uint32_t first_entry(const Pair& pair) {
  const uint64_t key = uint64_t(pair.first_place) << 32 | pair.second_place;
  return uint32_t((key * 0x9e3779b97f4a7c15u) >> 40);
}

// Adds to an entry that is there.
bool count(const Pair& pair, uint32_t& free_entry) {
  for (uint32_t i = 0; i < most_pairs; ++i) {
    free_entry = (first_entry(pair) + i) % most_pairs;
    Pair& entry = file->pairs[free_entry];
    if (__atomic_load_n(&entry.first_place, __ATOMIC_ACQUIRE) == 0) return false;
    if (!same(entry, pair)) continue;
    __atomic_fetch_add(&entry.count, 1, __ATOMIC_RELAXED);
    return true;
  }
  free_entry = most_pairs;
  return false;
}

} // namespace

void report(const Pair& pair) {
  uint32_t entry = 0;
  if (count(pair, entry)) return;
  SpinLock lock(&file->lock);
  if (lock.held() && count(pair, entry)) return;
  if (!lock.held() || entry == most_pairs) {
    __atomic_fetch_add(&file->lost_pairs, 1, __ATOMIC_RELAXED);
    return;
  }
  Pair described = pair;
  described.first_place = 0;
  describe_address(this_thread, pair.address, described);
  file->pairs[entry] = described;
  __atomic_store_n(&file->pairs[entry].first_place, pair.first_place, __ATOMIC_RELEASE);
}

} // namespace heddle::dependencies

using namespace heddle::dependencies;

// A call of a function whose accesses cannot be seen.
extern "C" HEDDLE_HIDDEN void heddle_dependencies_unseen(uint32_t function) {
  if (this_thread.watching && function < most_unseen)
    __atomic_fetch_add(&file->unseen[function], 1, __ATOMIC_RELAXED);
}
