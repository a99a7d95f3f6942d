// Keys that packets claim, and the order of packets that have the same one (docs/design.md, "Order").
#pragma once

#include "layout.h"
#include "runtime.h"

extern "C" {
// Absent where no body is staged, or, the last, has a key.
extern const struct heddle_schedule heddle_schedules[] __attribute__((weak));
extern const unsigned heddle_schedule_count __attribute__((weak));
extern const unsigned heddle_key_count __attribute__((weak));
}

namespace heddle::runtime {

// Null: a body without sites.
inline const heddle_schedule* staged_body(int (*body)(void* env)) {
  if (&heddle_schedule_count == nullptr) return nullptr;
  for (unsigned i = 0; i < heddle_schedule_count; ++i)
    if (heddle_schedules[i].body == body) return &heddle_schedules[i];
  return nullptr;
}

// Null: packets of this body pass all stages in packet order.
inline const heddle_schedule* schedule_of(int (*body)(void* env)) {
  const heddle_schedule* found = staged_body(body);
  return found != nullptr && found->range_count != 0 ? found : nullptr;
}

inline unsigned key_count() {
  return &heddle_key_count != nullptr ? heddle_key_count : 0;
}

// What a packet has of a key.
constexpr uint64_t unclaimed = 0; // nothing yet: counts as any
constexpr uint64_t no_record = 1; // it claimed a null pointer: it has nothing there
constexpr uint64_t any_value = ~uint64_t(0);

// After a further claim. Programs keep flags in the low bits of pointers; without these, records closer than that count as one.
inline uint64_t after_claim(uint64_t held, uint64_t value) {
  value &= ~uint64_t(7);
  if (value == 0) return held == unclaimed ? no_record : held;
  return held == unclaimed || held == no_record || held == value ? value : any_value;
}

// May packets that hold these meet in a location of the key?
inline bool may_meet(uint64_t a, uint64_t b) {
  if (a == no_record || b == no_record) return false;
  return a == b || a == unclaimed || a == any_value || b == unclaimed || b == any_value;
}

} // namespace heddle::runtime
