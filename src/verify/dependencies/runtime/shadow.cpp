#include "shadow.h"

#include "memory.h"

namespace heddle::dependencies {
namespace {

constexpr size_t first_slots = 1 << 12, most_slots = 1 << 22;
constexpr uint32_t first_records = 1 << 12, most_records = 1 << 22;

} // namespace

void Shadow::empty() {
  if (is_empty()) return;
  records_used_ = 1;
  slots_used_ = 0;
  if (++batch_ != 0) return;
  for (size_t i = 0; i < slot_count_; ++i)
    slots_[i].batch = 0;
  batch_ = 1;
}

void Shadow::release() {
  return_memory(slots_, slot_count_ * sizeof(Slot));
  return_memory(records_, record_count_ * sizeof(Record));
  *this = Shadow();
}

Shadow::Slot& Shadow::slot(uint64_t granule) const {
  size_t at = (granule * 0x9e3779b97f4a7c15u) >> 20;
  while (slots_[at &= slot_count_ - 1].batch == batch_ && slots_[at].granule != granule)
    ++at;
  return slots_[at];
}

uint32_t Shadow::find(uint64_t granule) const {
  if (slots_used_ == 0) return 0;
  const Slot& found = slot(granule);
  return found.batch == batch_ ? found.first : 0;
}

bool Shadow::grow_slots() {
  if (slot_count_ == most_slots) return false;
  const size_t count = slot_count_ ? 2 * slot_count_ : first_slots, old_count = slot_count_;
  auto* slots = static_cast<Slot*>(fresh_memory(count * sizeof(Slot)));
  if (slots == nullptr) return false;
  Slot* const old = slots_;
  slots_ = slots;
  slot_count_ = count;
  for (size_t i = 0; i < old_count; ++i)
    if (old[i].batch == batch_) slot(old[i].granule) = old[i];
  return_memory(old, old_count * sizeof(Slot));
  return true;
}

bool Shadow::grow_records() {
  if (record_count_ == most_records) return false;
  const uint32_t count = record_count_ ? 2 * record_count_ : first_records;
  auto* records = static_cast<Record*>(fresh_memory(count * sizeof(Record)));
  if (records == nullptr) return false;
  for (uint32_t i = 0; i < records_used_ && i < record_count_; ++i)
    records[i] = records_[i];
  return_memory(records_, record_count_ * sizeof(Record));
  records_ = records;
  record_count_ = count;
  return true;
}

bool Shadow::note(uint64_t granule, Record access) {
  if (2 * slots_used_ >= slot_count_ && !grow_slots()) return false;
  Slot& found = slot(granule);
  uint32_t free_record = 0;
  if (found.batch == batch_) {
    for (uint32_t i = found.first; i != 0; i = records_[i].next) {
      Record& old = records_[i];
      if (old.kind == access.kind && old.stage >= access.stage) access.bytes &= ~old.bytes;
    }
    if (access.bytes == 0) return true;
    for (uint32_t i = found.first; i != 0; i = records_[i].next) {
      Record& old = records_[i];
      if (old.kind == access.kind) old.bytes &= ~access.bytes;
      if (old.bytes == 0) free_record = i;
    }
  } else {
    found = {granule, batch_, 0};
    ++slots_used_;
  }
  if (free_record != 0) {
    access.next = records_[free_record].next;
    records_[free_record] = access;
    return true;
  }
  if (records_used_ >= record_count_ && !grow_records()) return false;
  access.next = found.first;
  found.first = records_used_;
  records_[records_used_++] = access;
  return true;
}

void Shadow::forget(uint64_t begin, uint64_t end) {
  each(begin, end, [this](uint64_t granule, uint8_t bytes) {
    for (uint32_t i = find(granule); i != 0; i = records_[i].next)
      records_[i].bytes &= ~bytes;
  });
}

} // namespace heddle::dependencies
