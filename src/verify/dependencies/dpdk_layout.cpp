#include "verify/dependencies/dpdk_layout.h"

#include <cstddef>

#include <rte_config.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

namespace heddle {

unsigned mempool_element_size_offset() {
  return offsetof(rte_mempool, elt_size);
}

unsigned mbuf_pool_offset() {
  return offsetof(rte_mbuf, pool);
}

} // namespace heddle
