#include "plan/observed_file.h"

#include "support/diagnostic.h"
#include "support/file.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

static bool read_place(const llvm::json::Object& pair, llvm::StringRef name, ObservedPlace& place) {
  const llvm::json::Object* access = pair.getObject(name);
  if (!access) return false;
  auto function = access->getString("function"), at = access->getString("at");
  if (!function || !at) return false;
  place = {function->str(), at->str()};
  return true;
}

llvm::Expected<std::vector<ObservedDependence>> read_observed(llvm::StringRef path) {
  auto foreign = [&] {
    return diagnose("not what heddle verify saw", "give the file of `heddle verify --dependencies --json`",
                    path);
  };
  auto buffer = read_file(path);
  if (!buffer) return buffer.takeError();
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return foreign();
  }
  const llvm::json::Object* object = value->getAsObject();
  const llvm::json::Array* pairs = object ? object->getArray("violations") : nullptr;
  if (!pairs) return foreign();
  std::vector<ObservedDependence> result;
  for (const llvm::json::Value& value : *pairs) {
    const llvm::json::Object* pair = value.getAsObject();
    ObservedDependence& dependence = result.emplace_back();
    if (!pair || !read_place(*pair, "earlier", dependence.first) ||
        !read_place(*pair, "later", dependence.second))
      return foreign();
    dependence.object = pair->getString("object").value_or("?").str();
  }
  return result;
}

} // namespace heddle
