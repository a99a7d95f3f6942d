// The noticing of changes: watch.bpf.c, loaded and attached for as long as the object lives.
#pragma once

#include "specialize/bpf/running.h"
#include "specialize/bpf/watch_layout.h"

#include <memory>
#include <optional>

struct bpf_link;
struct bpf_object;

namespace heddle {

class Watch {
public:
  // Errors: the kernel lets nobody trace system calls, or lacks what that takes.
  static llvm::Expected<Watch> start(const std::vector<uint32_t>& maps);
  Watch(Watch&&) noexcept;
  ~Watch();

  // The epoch if no change is on its way, else nothing. What is read from the maps afterwards holds, and is complete, as long as
  // the epoch stays.
  std::optional<uint64_t> settled_epoch() const;
  uint64_t epoch() const { return counters().begun; }

  // How many system calls the kernel has not shown, because the watch was already at work on that processor. None is allowed.
  uint64_t missed() const;

  // What keeps it in place, for pins.
  int enter_link() const;
  int exit_link() const;

  // The map whose first 64 bits are the epoch.
  int guard() const { return guard_; }

private:
  struct Close {
    void operator()(bpf_object* object) const;
    void operator()(bpf_link* link) const;
  };

  Watch() = default;
  heddle_epochs counters() const;

  std::unique_ptr<bpf_object, Close> object_;
  std::unique_ptr<bpf_link, Close> enter_, exit_;
  int guard_ = -1;
};

} // namespace heddle
