// What DPDK's tables need to be built: its memory.
#pragma once

namespace lookup {

// Starts DPDK's environment, once: without huge pages, devices or files, in 2 GB of ordinary memory. Tables are built there and copied
// to pages of the wanted size (memory.h), which look-ups use. False, with the reason printed: it cannot be.
bool start_dpdk();

} // namespace lookup
