// From what was measured of a host to what the models of src/plan weigh. The only place where the two meet: docs/model.md says
// which figure becomes what.
#pragma once

#include "host/host.h"
#include "plan/latency.h"
#include "plan/make_plan.h"

namespace heddle {

// A figure that the host does not have keeps the model's own.
MemoryModel memory_model(const Host& host);

// Sets refill, crossing and memory of `options`; as above.
void price_for(const Host& host, PlanOptions& options);

// What a line of code costs on a host that was not calibrated, by the lines of its first level of instruction cache: conditional code on the
// machine of docs/model.md.
double builtin_refill_cycles(double lines, double icache_lines);

} // namespace heddle
