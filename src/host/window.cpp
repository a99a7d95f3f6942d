// How far ahead of a load that waits the core runs.
//
// "Packets" of n instructions, each with two loads from memory of which the second needs the first, and nothing that the next packet
// needs. As many of them are under way as the core holds: k packets take the time of one, so k = window / n. That is the
// overlap of src/plan/latency.h, measured as the model uses it. The other instructions are additions, which take a register each, as
// most of a program's do. Only lengths count at which more than one and fewer than the most loads are under way.
#include "host/arena.h"
#include "host/clock.h"
#include "host/machine_code.h"
#include "host/measure.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle {

namespace {

constexpr unsigned loads = 2;

// void packets(const uint64_t* first_addresses, uint64_t count)
std::vector<uint8_t> packets_of(unsigned instructions) {
  Assembler code;
  code.bytes({0x48, 0x8b, 0x07, 0x48, 0x83, 0xc7, 0x08}); // mov (%rdi), %rax; add $8, %rdi
  const unsigned additions = instructions - 4 - loads;    // the other two end the loop
  for (unsigned load = 0, added = 0; load != loads; ++load) {
    code.bytes({0x48, 0x8b, 0x00}); // mov (%rax), %rax
    for (; added != additions * (load + 1) / loads; ++added)
      code.addition(added);
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
      code->run(static_cast<const void*>(&starts[packets * (sample++ % samples)]), packets);
    });
    // Measured again, as others may use the memory more or less than before.
    const double overlap = loads * measure_latency(*arena, effort.rounds).median / each.median;
    if (overlap > 1.2 && overlap < 0.7 * memory->loads_at_once.value)
      windows.push_back(overlap * instructions);
  }
  const Summary window = summarise(windows);
  host.window_instructions =
      window.kept >= 3 ? measured(window) : not_measured("too few lengths of packets agree");
  return llvm::Error::success();
}

} // namespace heddle
