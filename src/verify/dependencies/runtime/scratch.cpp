// Scratch variables: staged, each packet in flight has a copy, so no two packets ever meet there. What has to hold for
// that is seen here: a packet reads no byte that it has not written itself. Who wrote each byte last is kept, over all
// packets of the thread.
#include "memory.h"
#include "watch.h"

namespace heddle::dependencies {

struct ScratchByte {
  uint32_t packet, place; // counted from 1; 0: nobody
};

struct ScratchVariable {
  uint64_t begin, end;
  ScratchByte* bytes;
  bool begins_as_before; // what no packet has written is each packet's own
};

namespace {

constexpr uint32_t most_variables = 256;

ScratchVariable* find(const Thread& thread, uint64_t address) {
  for (uint32_t i = 0; i < thread.scratch_count; ++i)
    if (address >= thread.scratch[i].begin && address < thread.scratch[i].end) return &thread.scratch[i];
  return nullptr;
}

void found_exposed(const Thread& thread, const ScratchByte& owner, uint64_t address, uint32_t place) {
  Pair pair = {};
  pair.first_place = owner.packet ? owner.place : place;
  pair.second_place = place;
  pair.first_writes = 1;
  pair.count = 1;
  pair.first_packet = owner.packet ? owner.packet - 1 : thread.packet;
  pair.second_packet = thread.packet;
  pair.batch = thread.batch;
  pair.second_stage = thread.stage;
  pair.address = address;
  report(pair);
}

} // namespace

void add_scratch(Thread& thread, const void* begin, uint32_t size, bool begins_as_before) {
  const auto address = reinterpret_cast<uint64_t>(begin);
  if (ScratchVariable* known = find(thread, address)) {
    if (known->begin == address && known->end == address + size) return;
    return_memory(known->bytes, (known->end - known->begin) * sizeof(ScratchByte)); // of a frame that is gone
    *known = thread.scratch[--thread.scratch_count];
  }
  if (!thread.scratch) {
    thread.scratch = static_cast<ScratchVariable*>(fresh_memory(most_variables * sizeof(ScratchVariable)));
    if (!thread.scratch) return;
  }
  if (thread.scratch_count == most_variables) return;
  auto* bytes = static_cast<ScratchByte*>(fresh_memory(size * sizeof(ScratchByte)));
  if (bytes) thread.scratch[thread.scratch_count++] = {address, address + size, bytes, begins_as_before};
}

void release_scratch(Thread& thread) {
  for (uint32_t i = 0; i < thread.scratch_count; ++i) {
    const ScratchVariable& variable = thread.scratch[i];
    return_memory(variable.bytes, (variable.end - variable.begin) * sizeof(ScratchByte));
  }
  if (thread.scratch) return_memory(thread.scratch, most_variables * sizeof(ScratchVariable));
  thread.scratch = nullptr;
  thread.scratch_count = 0;
}

bool is_scratch(const Thread& thread, uint64_t address) {
  return find(thread, address) != nullptr;
}

void touch_scratch(Thread& thread, uint64_t begin, uint64_t end, bool writes, uint32_t place) {
  for (uint32_t i = 0; i < thread.scratch_count; ++i) {
    const ScratchVariable& variable = thread.scratch[i];
    const uint64_t first = begin > variable.begin ? begin : variable.begin;
    const uint64_t last = end < variable.end ? end : variable.end;
    for (uint64_t address = first; address < last; ++address) {
      ScratchByte& byte = variable.bytes[address - variable.begin];
      const auto self = uint32_t(thread.packet) + 1;
      if (writes) {
        byte = {self, place};
      } else if (byte.packet != self && !(byte.packet == 0 && variable.begins_as_before)) {
        found_exposed(thread, byte, address, place);
        break; // one for the access is enough
      }
    }
  }
}

} // namespace heddle::dependencies

using namespace heddle::dependencies;

// At the entry of a packet body.
extern "C" HEDDLE_HIDDEN void heddle_dependencies_scratch(const void* begin, uint32_t size,
                                                          uint32_t begins_as_before) {
  Thread& thread = this_thread;
  if (thread.watching) add_scratch(thread, begin, size, begins_as_before != 0);
}
