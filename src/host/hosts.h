// Where hosts are kept, and which one a plan is made for.
#pragma once

#include "host/host.h"
#include "support/diagnostic.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle {

// The file of this machine's calibration: $HEDDLE_HOSTS, else $XDG_CONFIG_HOME/heddle/hosts, else ~/.config/heddle/hosts, by the
// machine's name in the network, as several may share a home.
std::string own_host_file();

// Makes the folder of own_host_file(). Errors: it cannot be made or written to; the hint names HEDDLE_HOSTS.
llvm::Error make_host_folder();

// What of the machine is not what was calibrated, in words; empty: nothing. A new kernel alone is none: it changes what calls
// take, and no decision rests on these.
std::string changes_since(const Host& host, const Machine& now);

struct ChosenHost {
  std::optional<Host> host; // none: the models' built-in figures
  std::string name;         // for the plan
  std::vector<Remark> remarks;
};

// `given`: a file, or the name of a stored reference; empty: this machine, if it has been calibrated and is still the same.
// Errors: no such host (the hint lists the stored ones), or a file that is none.
llvm::Expected<ChosenHost> choose_host(llvm::StringRef given);

// Of this machine's last level of cache, what it was found to have to itself; 0: not known, as it was not calibrated.
uint64_t own_last_level_bytes();

} // namespace heddle
