// What an instruction costs, against the size of the code that runs again and again.
//
// A path through a packet program is long and runs through once per packet, so what counts is how fast its next lines come from
// wherever they lie. Three kinds of code of each size, made at run time, each passed through from begin to end, over and over:
//   straight     additions: the best case, as the next line is always the next one in memory
//   conditional  blocks of 32 bytes that end in a conditional branch, which goes the same way every time, half of them taken; runs of
//                four blocks, in random order within each page: code of functions that call each other
//   indirect     likewise, by jumps through a register to one target each
// Nothing depends on data, so what is above the cost of the smallest footprint is due to instruction delivery: lines, translations of
// their pages, and branches whose targets the predictor has forgotten. Consecutive lines are fetched in parallel as far as the processor
// does that; so these are costs with their overlap, and not latencies.
#include "host/clock.h"
#include "host/machine_code.h"
#include "host/measure.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace heddle {

namespace {

constexpr size_t line = 64, block = 32, run = 128, page = 4096;

struct Code {
  std::vector<uint8_t> bytes;
  uint64_t instructions = 0; // of one pass
};

Code straight_code(size_t footprint) {
  Assembler code;
  for (unsigned i = 0; code.size() + 4 <= footprint - 1; ++i)
    code.addition(i);
  const uint64_t additions = code.size() / 4;
  code.bytes({0xc3}); // ret
  return {code.code(), additions + 1};
}

// In which order runs come: random within each page, pages in order.
std::vector<size_t> order_of_runs(size_t footprint) {
  std::vector<size_t> order(footprint / run);
  std::iota(order.begin(), order.end(), 0);
  for (size_t first = 0; first < order.size(); first += page / run)
    for (size_t i = std::min(order.size() - first, page / run); i > 1; --i)
      std::swap(order[first + i - 1], order[first + scramble(first + i) % i]);
  return order;
}

// One block at `at`, which goes on to `next`.
void add_conditional(Assembler& code, size_t at, size_t next, uint64_t& instructions) {
  for (unsigned i = 0; i != 5; ++i)
    code.addition(i);
  code.bytes({0x4d, 0x85, 0xdb}); // test %r11, %r11: zero
  const bool taken = next != at + block || scramble(at) % 2;
  code.bytes({0x0f, uint8_t(taken ? 0x84 : 0x85)}).word(int32_t(next - (at + 29))); // jz, or jnz
  code.bytes({0x0f, 0x1f, 0x00});                                                   // nop
  instructions += taken ? 7 : 8;
}

void add_indirect(Assembler& code, size_t at, size_t next, uint64_t& instructions) {
  for (unsigned i = 0; i != 5; ++i)
    code.addition(i);
  code.bytes({0x48, 0x8d, 0x05}).word(int32_t(next - (at + 27))); // lea next(%rip), %rax
  code.bytes({0xff, 0xe0}).align(block);                          // jmp *%rax
  instructions += 7;
}

template <typename AddBlock> Code branchy_code(size_t footprint, AddBlock add_block) {
  const std::vector<size_t> order = order_of_runs(footprint);
  std::vector<size_t> after(order.size());
  for (size_t i = 0; i != order.size(); ++i)
    after[order[i]] = i + 1 == order.size() ? order.size() : order[i + 1]; // the last one: behind all
  // First a line that clears r11 and goes to the first run; last one that returns.
  Assembler code;
  Code result;
  code.bytes({0x45, 0x31, 0xdb, 0xe9}).word(int32_t(line + order[0] * run - 8)).align(line);
  result.instructions = 3;
  for (size_t r = 0; r != order.size(); ++r)
    for (size_t in_run = 0; in_run != run; in_run += block) {
      const size_t at = line + r * run + in_run;
      const bool last = in_run + block == run;
      add_block(code, at, last ? line + after[r] * run : at + block, result.instructions);
    }
  code.bytes({0xc3});
  result.bytes = code.code();
  return result;
}

llvm::Expected<Summary> measure(const Code& code, unsigned rounds) {
  auto loaded = MachineCode::load(code.bytes);
  if (!loaded) return loaded.takeError();
  constexpr uint64_t least_instructions = 50'000; // in a sample
  const uint64_t passes = std::max<uint64_t>(1, least_instructions / code.instructions);
  for (unsigned warm_up = 0; warm_up != 3; ++warm_up)
    loaded->run();
  return measure_cycles(rounds, double(passes * code.instructions), [&] {
    for (uint64_t pass = 0; pass != passes; ++pass)
      loaded->run();
  });
}

} // namespace

llvm::Error measure_front_end(Host& host, const Effort& effort) {
  FrontEnd& front_end = host.front_end;
  for (uint64_t kib = 4; kib <= effort.most_code_kib; kib *= 2) {
    CodePoint& point = front_end.points.emplace_back();
    point.footprint_kib = kib;
    const size_t footprint = kib * 1024;
    auto add = [&](const Code& code, CodeKind kind, double& per_line) -> llvm::Error {
      auto cost = measure(code, effort.rounds);
      if (!cost) return cost.takeError();
      point.*kind = cost->median;
      per_line = double(code.instructions) * line / double(footprint);
      return llvm::Error::success();
    };
    if (llvm::Error error =
            add(straight_code(footprint), &CodePoint::straight, front_end.straight_instructions_per_line))
      return error;
    if (llvm::Error error = add(branchy_code(footprint, add_conditional), &CodePoint::conditional,
                                front_end.conditional_instructions_per_line))
      return error;
    if (llvm::Error error = add(branchy_code(footprint, add_indirect), &CodePoint::indirect,
                                front_end.indirect_instructions_per_line))
      return error;
  }
  front_end.source = "measured";
  return llvm::Error::success();
}

} // namespace heddle
