// How far ahead of a load that waits the core runs.
//
// "Packets" of n instructions on average, each with two loads from memory of which the second needs the first, and nothing that the next packet
// needs. As many of them are under way as the core holds, and one more, as the window begins within a packet: k packets take the time of
// one, so k = window / n + 1. That is the overlap of src/plan/latency.h, measured as the model uses it. Packets are of different lengths,
// since with equal ones k moves by whole numbers.
// The other instructions are a mix as compilers make it: of sixteen, nine write a register, two store, and the rest compare and branch. With
// additions alone the window is what physical registers there are, which programs do not run out of so soon. Only lengths count at which more than
// one and fewer than the most loads are under way.
#include "host/arena.h"
#include "host/clock.h"
#include "host/machine_code.h"
#include "host/measure.h"

#include <iterator>

namespace heddle {

namespace {

constexpr unsigned loads = 2;

// Eighths of the mean: packets of a program have no fixed length.
constexpr unsigned lengths[] = {4, 11, 6, 10, 5, 12, 7, 9};

// void packets(const uint64_t* first_addresses, uint64_t count / std::size(lengths))
std::vector<uint8_t> packets_of(unsigned mean_instructions) {
  Assembler code;
  unsigned number = 0;
  for (const unsigned length : lengths) {
    code.bytes({0x48, 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x08}); // mov (%rdi), %rax; add $8, %rdi
    const unsigned others = mean_instructions * length / 8 - 2 - loads;
    for (unsigned load = 0, added = 0; load != loads; ++load) {
      code.bytes({0x48, 0x8b, 0x00}); // mov (%rax), %rax
      for (; added != others * (load + 1) / loads; ++added)
        code.ordinary(number++);
    }
  }
  code.bytes({0x48, 0xff, 0xce, 0x0f, 0x85}); // dec %rsi; jnz
  code.word(-int32_t(code.size() + 4));
  return code.bytes({0xc3}).code();
}

} // namespace

llvm::Error measure_window(Host& host, const Effort& effort) {
  const DataPoint* memory = host.find("memory", "2 MiB");
  if (!memory || !memory->latency_cycles.known()) memory = host.find("memory", "4 KiB");
  auto arena = Arena::make(memory->working_set_kib, memory->pages == "2 MiB");
  if (!arena) {
    host.window_instructions = not_measured(llvm::toString(arena.takeError()));
    return llvm::Error::success();
  }
  arena->link();
  constexpr unsigned packets = 128, samples = 512;
  std::vector<const char*> starts;
  for (unsigned i = 0; i != packets * samples; ++i)
    starts.push_back(arena->data() + scramble(i) % arena->lines() * 64);
  std::vector<double> windows;
  unsigned sample = 0;
  for (unsigned instructions : {64, 96, 128, 160, 192, 256, 320, 384}) {
    auto code = MachineCode::load(packets_of(instructions));
    if (!code) return code.takeError();
    const Summary each = measure_cycles(effort.rounds, packets, [&] {
      code->run(static_cast<const void*>(&starts[packets * (sample++ % samples)]),
                packets / std::size(lengths));
    });
    // Measured again, as others may use the memory more or less than before.
    const double overlap = loads * measure_latency(*arena, effort.rounds).median / each.median;
    if (overlap > 1.5 && overlap < 0.7 * memory->loads_at_once.value)
      windows.push_back((overlap - 1) * instructions);
  }
  const Summary window = summarise(windows);
  host.window_instructions =
      window.kept >= 3 ? measured(window) : not_measured("too few lengths of packets agree");
  return llvm::Error::success();
}

} // namespace heddle
