// Memory of the GPU and of the host for it. What CUDA refuses ends the program, with status 2.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "gpu: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(2);
}

class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t bytes) { check(cudaMalloc(&start_, bytes), "cudaMalloc"); }
  DeviceBuffer(const void* from, size_t bytes) : DeviceBuffer(bytes) {
    check(cudaMemcpy(start_, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept : start_(other.start_) { other.start_ = nullptr; }
  ~DeviceBuffer() { cudaFree(start_); }
  char* get() const { return static_cast<char*>(start_); }

private:
  void* start_ = nullptr;
};

// Pages that stay where they are, so that copies need none of their own.
class PinnedBuffer {
public:
  explicit PinnedBuffer(size_t bytes) { check(cudaMallocHost(&start_, bytes), "cudaMallocHost"); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() { cudaFreeHost(start_); }
  char* get() const { return static_cast<char*>(start_); }

private:
  void* start_ = nullptr;
};

class Event {
public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  // In microseconds; both have happened.
  double since(const Event& start) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start.event_, event_), "cudaEventElapsedTime");
    return milliseconds * 1e3;
  }

private:
  cudaEvent_t event_;
};
