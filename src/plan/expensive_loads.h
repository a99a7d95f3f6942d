// Which loads the profile says packets wait for (src/program/expensive.h).
#pragma once

#include "plan/latency.h"
#include "profile/trace.h"
#include "program/openings.h"
#include "program/program.h"

#include <vector>

namespace heddle {

// In order of blocks. Of each packet body, those that the model would hide (plan/latency.h) if nothing stood in the way.
std::vector<OpenedLoad> choose_expensive_loads(const Program& program, const Trace& trace, double in_flight,
                                               const MemoryModel& model = {});

// Of each packet body, all other loads that packets wait for and that the source does not name. Before the program is opened.
std::vector<std::vector<LoadCost>> waits_elsewhere(const Program& program, const Trace& trace,
                                                   llvm::ArrayRef<OpenedLoad> chosen,
                                                   const MemoryModel& model);

// Of each packet body, how many instructions would take as long as the functions outside of the program that a packet calls, which were timed.
std::vector<double> instructions_in_calls(const Program& program, const Trace& trace,
                                          const MemoryModel& model);

} // namespace heddle
