// Look-ups on a GPU (G-Opt, NSDI 2015, section 2): the tables and keys of bench/lookup, a thread for each look-up, in batches.
//
// Per batch, three times: of the kernel alone, by the GPU's clock; of launching it and waiting for its end, with keys and results on the
// GPU (the paper's section 2.5); and of the whole way, keys there and results back, with asynchronous copies from pinned memory in one
// stream, which the paper found the best for batches of a thousand and more (section 2.4). `chase` with 0 hops is that way and
// nothing else: the least that a packet's latency grows by. The processor's times are of one core, one look-up at a time and by hand
// with group prefetching (../lookup).
//
// A JSON line for each; all that comes back is compared with the processor's: status 1, something differs. Status 77: there is no GPU, and
// the same look-ups were compared on the processor instead.
#include "../lookup/measure.h"
#include "device.cuh"
#include "tables.cuh"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace lookup;

namespace {

template <class Table, class Key>
__global__ void look_up_all(Table table, const Key* keys, uint32_t* results, int n) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) results[i] = look_up(&table, keys[i]);
}

struct Batch {
  const void *table, *const *copies, *keys;
  void* results;
  int n;
};

template <class Table, class Key> void on_device(const Batch& batch, cudaStream_t stream) {
  constexpr int threads = 128;
  const Table table = view_of(*static_cast<const Table*>(batch.table), batch.copies);
  look_up_all<<<(batch.n + threads - 1) / threads, threads, 0, stream>>>(
      table, static_cast<const Key*>(batch.keys), static_cast<uint32_t*>(batch.results), batch.n);
  check(cudaGetLastError(), "kernel");
}

template <class Table, class Key> void on_host(const Batch& batch) {
  const Table table = view_of(*static_cast<const Table*>(batch.table), batch.copies);
  for (int i = 0; i < batch.n; ++i)
    static_cast<uint32_t*>(batch.results)[i] = look_up(&table, static_cast<const Key*>(batch.keys)[i]);
}

struct Look {
  const char* name;
  Setup setup;
  std::unique_ptr<Workload> (*make)(const Setup&);
  void (*on_device)(const Batch&, cudaStream_t);
  void (*on_host)(const Batch&);
};

template <class Table, class Key>
Look look(const char* name, std::unique_ptr<Workload> (*make)(const Setup&), size_t bytes = 0, int hops = 0) {
  Setup setup;
  setup.bytes = bytes;
  setup.huge = true;
  setup.hops = hops;
  return {name, setup, make, on_device<Table, Key>, on_host<Table, Key>};
}

constexpr int most = 1 << 20; // look-ups of a batch, and distinct keys

// All keys' results, to compare with.
std::vector<uint32_t> expected_of(const Workload& workload) {
  std::vector<uint32_t> results(workload.key_count);
  const auto* keys = static_cast<const char*>(workload.keys());
  for (size_t at = 0; at < results.size(); at += most_in_batch)
    workload.variants[0].run(workload.table(), keys + at * workload.key_bytes, &results[at],
                             int(std::min(results.size() - at, size_t(most_in_batch))));
  return results;
}

double wall_microseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}

class Bench {
public:
  Bench(const Look& look, const Workload& workload)
      : look_(look), workload_(workload), expected_(expected_of(workload)), keys_(most * workload.key_bytes),
        results_(most * sizeof(uint32_t)), resident_keys_(workload.keys(), most * workload.key_bytes),
        device_keys_(most * workload.key_bytes), device_results_(most * sizeof(uint32_t)) {
    std::memcpy(keys_.get(), workload.keys(), most * workload.key_bytes);
    for (const Region& region : workload.regions) {
      arrays_.emplace_back(region.start, region.bytes);
      copies_.push_back(arrays_.back().get());
    }
    check(cudaStreamCreate(&stream_), "cudaStreamCreate");
  }
  ~Bench() { cudaStreamDestroy(stream_); }

  // Whether all results are the processor's.
  bool run(int n, int rounds) {
    std::vector<double> kernel, resident, whole;
    bool same = true;
    for (int round = 0; round < rounds + 3; ++round) {
      const double whole_way = time_whole(n);
      same &= std::memcmp(results_.get(), &expected_[at_], n * sizeof(uint32_t)) == 0;
      const double launched = time_resident(n), alone = time_kernel(n);
      if (round < 3) continue; // warms up
      whole.push_back(whole_way);
      resident.push_back(launched);
      kernel.push_back(alone);
    }
    std::printf("{\"workload\":\"%s\",\"hops\":%d,\"bytes\":%zu,\"batch\":%d", look_.name, look_.setup.hops,
                workload_.table_bytes, n);
    print("kernel_us", kernel);
    print("resident_us", resident);
    print("whole_us", whole);
    std::printf("}\n");
    std::fflush(stdout);
    return same;
  }

private:
  // Each time others, of which the GPU's caches know as little as they can. Gives where they begin.
  size_t next_keys(int n) {
    at_ = at_ + 2 * n <= most ? at_ + n : 0;
    return at_ * workload_.key_bytes;
  }
  void launch(const void* keys, int n) {
    look_.on_device({workload_.table(), copies_.data(), keys, device_results_.get(), n}, stream_);
  }
  void wait() { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

  double time_whole(int n) {
    const char* keys = keys_.get() + next_keys(n);
    std::memset(results_.get(), 0xa5, n * sizeof(uint32_t));
    const double start = wall_microseconds();
    check(cudaMemcpyAsync(device_keys_.get(), keys, n * workload_.key_bytes, cudaMemcpyHostToDevice, stream_),
          "copy of keys");
    launch(device_keys_.get(), n);
    check(cudaMemcpyAsync(results_.get(), device_results_.get(), n * sizeof(uint32_t), cudaMemcpyDeviceToHost,
                          stream_),
          "copy of results");
    wait();
    return wall_microseconds() - start;
  }
  double time_resident(int n) {
    const char* keys = resident_keys_.get() + next_keys(n);
    const double start = wall_microseconds();
    launch(keys, n);
    wait();
    return wall_microseconds() - start;
  }
  double time_kernel(int n) {
    const char* keys = resident_keys_.get() + next_keys(n);
    start_.record(stream_);
    launch(keys, n);
    end_.record(stream_);
    wait();
    return end_.since(start_);
  }

  static void print(const char* name, const std::vector<double>& times) {
    const Estimate time = estimate(times);
    std::printf(",\"%s\":%.3f,\"%s_ci\":[%.3f,%.3f]", name, time.median, name, time.low, time.high);
  }

  const Look& look_;
  const Workload& workload_;
  const std::vector<uint32_t> expected_;
  PinnedBuffer keys_, results_;
  DeviceBuffer resident_keys_, device_keys_, device_results_;
  std::vector<DeviceBuffer> arrays_;
  std::vector<const void*> copies_;
  cudaStream_t stream_;
  Event start_, end_;
  int at_ = 0;
};

void print_processor(const Look& look, Workload& workload, int rounds) {
  // The others have it that a look-up has a hop.
  std::vector<Variant> kept;
  for (const Variant& variant : workload.variants)
    if (std::strcmp(variant.name, "baseline") == 0 || std::strcmp(variant.name, "group") == 0)
      kept.push_back(variant);
  workload.variants = kept;
  const Measurement measurement = measure(workload, most_in_batch, rounds);
  std::printf("{\"workload\":\"%s\",\"hops\":%d,\"bytes\":%zu", look.name, look.setup.hops,
              workload.table_bytes);
  for (const Result& result : measurement.results)
    std::printf(",\"%s_ns\":%.3f", result.variant, result.nanoseconds.median);
  std::printf("}\n");
}

bool same_on_host(const Look& look, const Workload& workload) {
  std::vector<const void*> arrays;
  for (const Region& region : workload.regions)
    arrays.push_back(region.start);
  std::vector<uint32_t> results(workload.key_count);
  look.on_host({workload.table(), arrays.data(), workload.keys(), results.data(), int(results.size())});
  return results == expected_of(workload);
}

} // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 31;
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  const bool any = error == cudaSuccess && devices > 0;
  if (any) {
    cudaDeviceProp properties;
    check(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    std::printf("{\"measure\":\"machine\",\"gpu\":\"%s\",\"multiprocessors\":%d}\n", properties.name,
                properties.multiProcessorCount);
  }

  constexpr size_t mega = 1 << 20;
  std::vector<Look> looks;
  for (int hops : {0, 1, 2, 4, 10})
    looks.push_back(look<Chase, uint32_t>("chase", make_chase, any ? 1024 * mega : mega, hops));
  looks.push_back(look<Cuckoo, uint32_t>("cuckoo", make_cuckoo, any ? 256 * mega : mega));
  looks.push_back(look<Lpm4View, uint32_t>("lpm4", make_lpm4));
  looks.push_back(look<Lpm6View, Lpm6Address>("lpm6", make_lpm6));
  looks.push_back(look<L2, L2Packet>("l2", make_l2, any ? 256 * mega : mega));
  looks.push_back(look<Ndn, NdnName>("ndn", make_ndn, any ? 1024 * mega : mega));

  bool same = true;
  for (Look& look : looks) {
    look.setup.small = !any;
    const std::unique_ptr<Workload> workload = look.make(look.setup);
    if (!workload) continue;
    bool same_here = true;
    if (any) {
      print_processor(look, *workload, rounds);
      Bench bench(look, *workload);
      for (int n = 32; n <= most; n *= 2)
        same_here &= bench.run(n, rounds);
    } else
      same_here = same_on_host(look, *workload);
    if (!same_here) std::fprintf(stderr, "gpu: %s differs from the processor's\n", look.name);
    same &= same_here;
  }
  if (!same) return 1;
  if (any) return 0;
  std::printf("SKIP: no GPU: %s\n", error == cudaSuccess ? "none is there" : cudaGetErrorString(error));
  return 77;
}
