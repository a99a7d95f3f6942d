// For look-ups that run on the processor and, compiled by nvcc, on a GPU (bench/gpu).
#pragma once

#ifdef __CUDACC__
#define ANYWHERE __host__ __device__
#else
#define ANYWHERE
#endif

namespace lookup {

// Which bit of them is the lowest; there is one.
ANYWHERE inline int lowest_bit(unsigned bits) {
#ifdef __CUDA_ARCH__
  return __ffs(int(bits)) - 1;
#else
  return __builtin_ctz(bits);
#endif
}

} // namespace lookup
