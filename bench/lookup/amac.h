// Asynchronous memory access chaining (Kocberber, Falsafi and Grot, VLDB 2015, section 3): a ring of look-ups, each with its state
// and the step it is at. A step ends with a prefetch; a look-up that ends makes room for the next at once, so as many as the ring
// holds are always waiting for memory, however long each takes.
#pragma once

#include <algorithm>

namespace lookup {

// Machine: a State; start(state, i) begins look-up i; step(state) goes on with one, and says whether it has ended.
template <int width, class Machine> inline void run_amac(const Machine& machine, int n) {
  typename Machine::State ring[width];
  int live = std::min(width, n), next = live;
  for (int i = 0; i < live; ++i)
    machine.start(ring[i], i);
  while (live > 0)
    for (int at = 0; at < live;) {
      if (!machine.step(ring[at]))
        ++at;
      else if (next < n)
        machine.start(ring[at++], next++);
      else
        ring[at] = ring[--live];
    }
}

} // namespace lookup
