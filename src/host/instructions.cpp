// How many instructions a cycle runs where nothing waits: no line of code or data is missing, no branch goes wrong.
//
// Not the most that the core can do, which no program comes near to, but those of a piece of code that packet programs are full of: Jenkins'
// hash of 16 bytes of a header, eight instructions a byte of which five need each other's results, and neighbouring headers that
// need nothing of each other. Headers lie in the first level of cache.
#include "host/clock.h"
#include "host/measure.h"

namespace heddle {

namespace {

constexpr unsigned headers = 256, bytes = 16;
constexpr unsigned per_byte = 8, per_header = 4 + per_byte * bytes; // instructions, as below

void hash_all(const char* first) {
  const char* const last = first + headers * bytes;
  __asm__ volatile("1: xor %%eax, %%eax\n\t"
                   ".set offset, 0\n\t"
                   ".rept 16\n\t"
                   "movzbl offset(%0), %%ecx\n\t"
                   "add %%ecx, %%eax\n\t"
                   "mov %%eax, %%edx\n\t"
                   "shl $10, %%edx\n\t"
                   "add %%edx, %%eax\n\t"
                   "mov %%eax, %%edx\n\t"
                   "shr $6, %%edx\n\t"
                   "xor %%edx, %%eax\n\t"
                   ".set offset, offset + 1\n\t"
                   ".endr\n\t"
                   "add $16, %0\n\t"
                   "cmp %1, %0\n\t"
                   "jne 1b"
                   : "+r"(first)
                   : "r"(last)
                   : "eax", "ecx", "edx", "cc", "memory");
}

} // namespace

llvm::Error measure_instructions(Host& host, const Effort& effort) {
  alignas(64) static char data[headers * bytes];
  const Summary cycles = measure_cycles(4 * effort.rounds, headers * per_header, [&] { hash_all(data); });
  host.instructions_per_cycle = {1 / cycles.median, cycles.spread_percent, "measured"};
  return llvm::Error::success();
}

} // namespace heddle
