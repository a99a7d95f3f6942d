#include "cli/planning.h"

namespace heddle {

void PlanningOptions::add_to(CLI::App& app) {
  app.add_option("--policy", policy, "how cuts are chosen")
      ->check(CLI::IsMember({"optimistic-bound", "conservative", "greedy-heat", "finest", "none"}))
      ->capture_default_str();
  app.add_option("--budget", budget,
                 "instruction cache that a stage may take, e.g. 24K (default: the model chooses)");
  app.add_option("--host", host,
                 "the host to plan for: a file of `heddle calibrate`, or a stored host's name (default: this "
                 "machine)");
  app.add_option("--batch", batch,
                 "most packets in flight (default: 32; 64 where all bodies are interleaved)")
      ->check(CLI::Range(2, 4096));
  app.add_flag("!--no-stage", stage,
               "make no cuts for the instruction cache's sake; what is left is to hide loads");
  app.add_flag("!--no-hide", hide, "leave packets waiting for expensive loads");
  app.add_flag(
      "!--no-fetch-along", fetch_along,
      "let packets step aside for each load by itself, also where the addresses of several are known");
  app.add_option(
         "--rare", rare,
         "the share of the packets that may meet rare code, which a packet runs alone (0: no code is rare; "
         "auto: the one of several that is predicted to be best)")
      ->check(CLI::IsMember({"auto"}) | CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--trust", trust,
                 "proven: use no [[commute]], [[declared]], [[scratch]], [[keyed]] and [[output]]; declared: "
                 "use them "
                 "(default where there are any); observed: only what --observed shows, for study, never for "
                 "production")
      ->check(CLI::IsMember({"proven", "declared", "observed"}));
  app.add_option("--observed", observed,
                 "of --trust observed: what `heddle verify --dependencies --json` saw of an earlier plan")
      ->allow_extra_args(false);
  app.add_option("--without", study.without,
                 "switch a relaxation off: read-only, packet-private, allocator, commutative, "
                 "commuting, declared, keyed, scratch, errno, lock, deferred-output, received-ahead, time, "
                 "abnormal-exit, rare-path")
      ->delimiter(',')
      ->allow_extra_args(false);
}

void PlanningOptions::declare(const Declarations& all) {
  if (trust.empty()) trust = all.file.empty() && all.all.empty() ? "proven" : "declared";
  declarations = all;
  study.declarations = all.trusted(trust);
}

} // namespace heddle
