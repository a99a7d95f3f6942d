// The fields of a host, for whatever goes through all of them (support/fields.h).
#pragma once

#include "host/host.h"

#include <concepts>

namespace heddle {

template <typename T, typename Of>
concept Maybe = std::same_as<std::remove_const_t<T>, Of>; // T is Of or const Of

template <typename Fields, Maybe<Figure> T> void list_fields(Fields& fields, T& figure) {
  fields("value", figure.value);
  fields("spread_percent", figure.spread_percent);
  fields("source", figure.source);
}

template <typename Fields, Maybe<MachineCache> T> void list_fields(Fields& fields, T& cache) {
  fields("level", cache.level);
  fields("type", cache.type);
  fields("size", cache.size);
  fields("ways", cache.ways);
}

template <typename Fields, Maybe<Machine> T> void list_fields(Fields& fields, T& machine) {
  fields("cpu", machine.cpu);
  fields("cpus", machine.cpus);
  fields("kernel", machine.kernel);
  fields("hypervisor", machine.hypervisor);
  fields("date", machine.date);
  fields("caches", machine.caches);
}

template <typename Fields, Maybe<CodePoint> T> void list_fields(Fields& fields, T& point) {
  fields("footprint_kib", point.footprint_kib);
  fields("straight_cycles_per_instruction", point.straight);
  fields("conditional_cycles_per_instruction", point.conditional);
  fields("indirect_cycles_per_instruction", point.indirect);
}

template <typename Fields, Maybe<FrontEnd> T> void list_fields(Fields& fields, T& front_end) {
  fields("source", front_end.source);
  fields("straight_instructions_per_line", front_end.straight_instructions_per_line);
  fields("conditional_instructions_per_line", front_end.conditional_instructions_per_line);
  fields("indirect_instructions_per_line", front_end.indirect_instructions_per_line);
  fields("points", front_end.points);
}

template <typename Fields, Maybe<DataPoint> T> void list_fields(Fields& fields, T& point) {
  fields("level", point.level);
  fields("pages", point.pages);
  fields("working_set_kib", point.working_set_kib);
  fields("latency_cycles", point.latency_cycles);
  fields("loads_at_once", point.loads_at_once);
  fields("level1_prefetches_at_once", point.level1_prefetches_at_once);
  fields("level2_prefetches_at_once", point.level2_prefetches_at_once);
}

template <typename Fields, Maybe<CallPoint> T> void list_fields(Fields& fields, T& point) {
  fields("burst_packets", point.burst);
  fields("receive_cycles", point.receive_cycles);
  fields("transmit_cycles", point.transmit_cycles);
  fields("receive_each_cycles", point.receive_each_cycles);
  fields("transmit_each_cycles", point.transmit_each_cycles);
}

template <typename Fields, Maybe<Calls> T> void list_fields(Fields& fields, T& calls) {
  fields("source", calls.source);
  fields("what", calls.what);
  fields("points", calls.points);
}

template <typename Fields, Maybe<Host> T> void list_fields(Fields& fields, T& host) {
  fields("name", host.name);
  fields("origin", host.origin);
  fields("machine", host.machine);
  fields("measured_cpu", host.cpu);
  fields("core_ghz", host.core_ghz);
  fields("clock_ghz", host.clock_ghz);
  fields("noise_percent", host.noise_percent);
  fields("taken_percent", host.taken_percent);
  fields("front_end", host.front_end);
  fields("window_instructions", host.window_instructions);
  fields("instructions_per_cycle", host.instructions_per_cycle);
  fields("crossing_cycles", host.crossing_cycles);
  fields("step_cycles", host.step_cycles);
  fields("pass_cycles", host.pass_cycles);
  fields("prefetch_cycles", host.prefetch_cycles);
  fields("data", host.data);
  fields("last_level_mib", host.last_level_mib);
  fields("walk_cycles", host.walk_cycles);
  fields("calls", host.calls);
}

} // namespace heddle
