#include "transform/frame_layout.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle {

void FrameLayout::add_memory(Instruction& variable, uint64_t bytes, Align alignment) {
  memory_.push_back({&variable, bytes, alignment});
}

void FrameLayout::add(Instruction& value, BitVector waits, bool alone) {
  const uint64_t bytes = layout_.getTypeStoreSize(value.getType());
  const Align alignment = layout_.getABITypeAlign(value.getType());
  for (Field& field : fields_)
    if (!alone && !field.alone && field.bytes == bytes && field.alignment == alignment &&
        !field.waits.anyCommon(waits)) {
      field.waits |= waits;
      field.values.push_back(&value);
      return;
    }
  fields_.push_back({bytes, alignment, std::move(waits), {&value}, fields_.size(), alone});
}

void FrameLayout::finish() {
  sort(fields_, [](const Field& a, const Field& b) {
    return a.alignment != b.alignment ? a.alignment > b.alignment : a.number < b.number;
  });
  for (const Field& field : fields_) {
    place(field.bytes, field.alignment);
    for (Instruction* value : field.values)
      offsets_[value] = {last_, field.alignment};
  }
  for (const Memory& memory : memory_) {
    place(memory.bytes, memory.alignment);
    offsets_[memory.variable] = {last_, memory.alignment};
  }
  size_ = alignTo(std::max<uint64_t>(size_, 1), alignment_);
}

void FrameLayout::place(uint64_t bytes, Align alignment) {
  last_ = alignTo(size_, alignment);
  size_ = last_ + bytes;
  alignment_ = std::max(alignment_, alignment);
}

} // namespace heddle
