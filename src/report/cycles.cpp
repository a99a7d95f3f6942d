#include "report/cycles.h"

namespace heddle {

static void add(CycleShares& to, const CycleShares& shares, double times) {
  to.front_end += times * shares.front_end;
  to.data += times * shares.data;
  to.switching += times * shares.switching;
  to.rest += times * shares.rest;
}

CyclesBeforeAfter model_cycles(const Plan& plan) {
  CyclesBeforeAfter result;
  double packets = 0;
  for (const BodyPlan& body : plan.bodies)
    packets += double(body.packets);
  if (packets == 0) return result;
  for (const BodyPlan& body : plan.bodies) {
    const double share = double(body.packets) / packets;
    add(result.before, body.cycles_before, share);
    add(result.after, body.cycles_after, share);
  }
  return result;
}

} // namespace heddle
