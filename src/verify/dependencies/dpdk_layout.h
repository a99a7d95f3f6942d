// Where DPDK keeps what tells an object's size: its structures' layout is part of its binary interface.
#pragma once

namespace heddle {

unsigned mempool_element_size_offset(); // of the 32-bit size in struct rte_mempool
unsigned mbuf_pool_offset();            // of the pointer to its pool in struct rte_mbuf

} // namespace heddle
