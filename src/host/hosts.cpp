// A changed machine is not calibrated again by itself: that takes a CPU for some twenty seconds, and gives wrong figures where
// something else runs at the time, which only the user can know. The plan says so instead, and goes by the built-in figures.
#include "host/hosts.h"

#include "support/file.h"
#include "support/installed.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <unistd.h>

namespace heddle {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

// Empty: not set, or to nothing.
std::string environment(const char* name) {
  return llvm::sys::Process::GetEnv(name).value_or("");
}

std::string own_folder() {
  if (std::string folder = environment("HEDDLE_HOSTS"); !folder.empty()) return folder;
  llvm::SmallString<256> folder(environment("XDG_CONFIG_HOME"));
  if (folder.empty()) {
    (void)path::home_directory(folder);
    path::append(folder, ".config");
  }
  path::append(folder, "heddle", "hosts");
  return folder.str().str();
}

std::string reference_names() {
  std::vector<std::string> names;
  std::error_code ec;
  for (fs::directory_iterator at(shared_file("hosts"), ec), end; at != end && !ec; at.increment(ec))
    if (path::extension(at->path()) == ".json") names.push_back(path::stem(at->path()).str());
  llvm::sort(names);
  return llvm::join(names, ", ");
}

std::string sizes(const Machine& machine) {
  std::string text;
  for (const MachineCache& cache : machine.caches)
    text += (text.empty() ? "" : ", ") + cache.size;
  return text;
}

llvm::Expected<ChosenHost> given_host(llvm::StringRef given) {
  std::string file = given.str();
  if (!fs::exists(file)) {
    const std::string reference = shared_file("hosts") + "/" + given.str() + ".json";
    if (!fs::exists(reference))
      return diagnose("there is no such host",
                      "give a file that 'heddle calibrate' wrote, or a stored host: " + reference_names(),
                      given);
    file = reference;
  }
  auto host = read_host(file);
  if (!host) return host.takeError();
  ChosenHost chosen;
  chosen.name = host->name + " (" + file + ")";
  chosen.host = std::move(*host);
  return chosen;
}

} // namespace

std::string own_host_file() {
  char name[256] = "";
  (void)gethostname(name, sizeof name - 1);
  std::string text = *name ? name : "localhost";
  for (char& c : text)
    if (!llvm::isAlnum(c) && c != '-' && c != '.') c = '_';
  return own_folder() + "/" + text + ".json";
}

llvm::Error make_host_folder() {
  const std::string folder = own_folder();
  std::error_code ec = fs::create_directories(folder);
  if (!ec) ec = fs::access(folder, fs::AccessMode::Write);
  if (!ec) return llvm::Error::success();
  return diagnose("cannot write there: " + ec.message(), "set HEDDLE_HOSTS to a folder that can be written",
                  folder);
}

std::string changes_since(const Host& host, const Machine& now) {
  const Machine& then = host.machine;
  if (then.cpu != now.cpu) return "its CPU is " + now.cpu + ", and was " + then.cpu;
  if (then.hypervisor != now.hypervisor)
    return "its hypervisor is '" + now.hypervisor + "', and was '" + then.hypervisor + "'";
  if (sizes(then) != sizes(now)) return "its caches are of " + sizes(now) + ", and were of " + sizes(then);
  return "";
}

llvm::Expected<ChosenHost> choose_host(llvm::StringRef given) {
  if (!given.empty()) return given_host(given);
  ChosenHost chosen;
  chosen.name = "none calibrated: built-in figures";
  const std::string file = own_host_file();
  if (!fs::exists(file)) return chosen;
  auto host = read_host(file);
  if (!host) return host.takeError();
  if (std::string changes = changes_since(*host, describe_machine()); !changes.empty()) {
    chosen.remarks.push_back(
        {"host-changed", file, "this machine is not the one that was calibrated: " + changes,
         "calibrate it again with 'heddle calibrate'; until then plans use built-in figures"});
    return chosen;
  }
  chosen.name = host->name + " (calibrated " + host->machine.date + ")";
  chosen.host = std::move(*host);
  return chosen;
}

uint64_t own_last_level_bytes() {
  auto chosen = choose_host("");
  if (!chosen) {
    llvm::consumeError(chosen.takeError()); // the plan says what is wrong with it
    return 0;
  }
  return chosen->host ? uint64_t(chosen->host->last_level_mib.value * 1024 * 1024) : 0;
}

} // namespace heddle
