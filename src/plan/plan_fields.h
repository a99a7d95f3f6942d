// Reading JSON strictly: every field is wanted, every field is known, and an error names the field by its
// path.
#pragma once

#include "support/diagnostic.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace heddle {

// The fields of one JSON object. The first error is kept; later reads do nothing. done() reports it, or a
// field that nobody asked for.
class PlanFields {
public:
  PlanFields(const llvm::json::Value& value, std::string path) : path_(std::move(path)) {
    object_ = value.getAsObject();
    if (!object_) fail("", "is not an object");
  }

  void read(llvm::StringRef name, std::string& out);
  void read(llvm::StringRef name, double& out);
  void read(llvm::StringRef name, bool& out);
  void read(llvm::StringRef name, uint64_t& out);
  void read(llvm::StringRef name, uint32_t& out);
  void read(llvm::StringRef name, std::vector<std::string>& out);

  // An array of objects: `each(fields, element)` reads one element's fields.
  template <typename T, typename Each> void read(llvm::StringRef name, std::vector<T>& out, Each each) {
    const llvm::json::Value* value = find(name);
    if (!value) return;
    const llvm::json::Array* array = value->getAsArray();
    if (!array) return fail(name, "is not an array");
    for (size_t i = 0; i != array->size(); ++i) {
      PlanFields fields((*array)[i], path_of(name) + "[" + std::to_string(i) + "]");
      out.emplace_back();
      each(fields, out.back());
      if (!error_ && (fields.error_ || fields.has_unknown())) {
        what_ = fields.what_;
        error_ = true;
      }
    }
  }

  // After all reads. `where` is the file.
  llvm::Error done(llvm::StringRef where);

private:
  std::string path_of(llvm::StringRef name) const {
    return path_.empty() || name.empty() ? path_ + name.str() : path_ + "." + name.str();
  }
  const llvm::json::Value* find(llvm::StringRef name);
  void fail(llvm::StringRef name, llvm::StringRef what);
  bool has_unknown();

  const llvm::json::Object* object_ = nullptr;
  std::string path_, what_;
  llvm::StringSet<> known_;
  bool error_ = false;
};

} // namespace heddle
