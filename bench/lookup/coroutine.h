// Look-ups as C++20 coroutines, run in turn (Jonathan et al., "Exploiting coroutines to attack the killer nanoseconds", VLDB 2018).
//
// A frame's memory is a slot of the ring, used again by the next look-up there: no allocation per look-up. A
// coroutine that ends leaves its frame as it is (all in it is trivial), and the ring finds out by the promise's flag.
#pragma once

#include "prefetch.h"

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdlib>

namespace lookup {

struct Slot {
  static constexpr size_t size = 192;
  alignas(64) std::byte memory[size];
};

// What a look-up function returns; its first parameter is the Slot& for its frame.
struct Coroutine {
  struct promise_type {
    template <class... Arguments>
    static void* operator new(size_t size, Slot& slot, Arguments&&...) noexcept {
      if (size > Slot::size) std::abort();
      return slot.memory;
    }
    static void operator delete(void*, size_t) {}
    Coroutine get_return_object() noexcept {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {}
  };
  std::coroutine_handle<promise_type> handle;
};

// co_await Prefetched(p): ask for *p and let the others run meanwhile.
struct Prefetched {
  explicit Prefetched(const void* pointer) { prefetch(pointer); }
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const noexcept {}
};

// Each slot is allocated by itself, once: an array of them would be one object to Heddle's pointer analysis, with all that any
// field of any frame ever held in each of its fields.
template <int width, class Start> struct Slots {
  Slot* slot[width];
  Slots() {
    for (Slot*& each : slot)
      each = new Slot;
  }
};

// start(slot, i) begins look-up i and runs it to its first wait; every look-up has one.
template <int width, class Start> inline void run_coroutines(const Start& start, int n) {
  static const Slots<width, Start> slots;
  std::coroutine_handle<Coroutine::promise_type> ring[width];
  int live = std::min(width, n), next = live;
  for (int i = 0; i < live; ++i)
    ring[i] = start(*slots.slot[i], i).handle;
  while (live > 0)
    for (int at = 0; at < live;) {
      ring[at].resume();
      if (!ring[at].done())
        ++at;
      else if (next < n) {
        ring[at] = start(*reinterpret_cast<Slot*>(ring[at].address()), next++).handle;
        ++at;
      } else
        ring[at] = ring[--live];
    }
}

} // namespace lookup
