// Where a packet's cycles go, by the models. Nothing here is measured.
#pragma once

namespace heddle {

// Per packet.
struct CycleShares {
  double front_end = 0; // refills of the instruction cache
  double data = 0;      // waits at loads
  double switching = 0; // crossings of sites, steps aside, and what is run for these
  double rest = 0;      // the packet's own instructions, at the rate that they run without waiting
  double total() const { return front_end + data + switching + rest; }
};

} // namespace heddle
