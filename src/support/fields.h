// The fields of a JSON file (a plan, a host), read and written by one list of them: `list_fields(fields, object)` names
// each field of one object, and does for FieldReader what it does for FieldWriter. Reading is strict: every field is wanted,
// every field is known, and an error names the field by its path.
#pragma once

#include "support/diagnostic.h"
#include "support/pooled_text.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"

#include <cmath>
#include <string>
#include <vector>

namespace heddle {

// The fields of one JSON object. The first error is kept; later reads do nothing. done() reports it, or a
// field that nobody asked for.
class FieldReader {
public:
  FieldReader(const llvm::json::Value& value, std::string path) : path_(std::move(path)) {
    object_ = value.getAsObject();
    if (!object_) fail("", "is not an object");
  }

  void operator()(llvm::StringRef name, std::string& out);
  void operator()(llvm::StringRef name, PooledText& out) {
    std::string text;
    (*this)(name, text);
    out = text;
  }
  void operator()(llvm::StringRef name, double& out);
  void operator()(llvm::StringRef name, bool& out);
  void operator()(llvm::StringRef name, uint64_t& out);
  void operator()(llvm::StringRef name, uint32_t& out);
  void operator()(llvm::StringRef name, std::vector<std::string>& out);
  void operator()(llvm::StringRef name, std::vector<uint32_t>& out);

  // An object.
  template <typename T> void operator()(llvm::StringRef name, T& out) {
    if (const llvm::json::Value* value = find(name)) read_object(*value, path_of(name), out);
  }

  // An array of objects.
  template <typename T> void operator()(llvm::StringRef name, std::vector<T>& out) {
    const llvm::json::Value* value = find(name);
    if (!value) return;
    const llvm::json::Array* array = value->getAsArray();
    if (!array) return fail(name, "is not an array");
    for (size_t i = 0; i != array->size(); ++i)
      read_object((*array)[i], path_of(name) + "[" + std::to_string(i) + "]", out.emplace_back());
  }

  // After all reads. `where` is the file; `hint` says where its fields are listed, and how to make it again.
  llvm::Error done(llvm::StringRef where, llvm::StringRef hint);

private:
  template <typename T> void read_object(const llvm::json::Value& value, std::string path, T& out) {
    FieldReader fields(value, std::move(path));
    list_fields(fields, out);
    if (!error_ && (fields.error_ || fields.has_unknown())) {
      what_ = fields.what_;
      error_ = true;
    }
  }
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

class FieldWriter {
public:
  explicit FieldWriter(llvm::json::OStream& json) : json_(json) {}

  // Programs may hold names that are no UTF-8; JSON cannot.
  void operator()(llvm::StringRef name, const std::string& value) {
    json_.attribute(name, llvm::json::fixUTF8(value));
  }
  void operator()(llvm::StringRef name, PooledText value) { (*this)(name, value.str()); }
  // Three decimals are enough for a prediction and keep the file readable.
  void operator()(llvm::StringRef name, double value) {
    json_.attribute(name, std::round(value * 1000) / 1000);
  }
  void operator()(llvm::StringRef name, bool value) { json_.attribute(name, value); }
  void operator()(llvm::StringRef name, uint64_t value) { json_.attribute(name, value); }
  void operator()(llvm::StringRef name, uint32_t value) { json_.attribute(name, value); }
  void operator()(llvm::StringRef name, const std::vector<std::string>& values);
  void operator()(llvm::StringRef name, const std::vector<uint32_t>& values);

  template <typename T> void operator()(llvm::StringRef name, const T& value) {
    json_.attributeObject(name, [&] { list_fields(*this, value); });
  }
  template <typename T> void operator()(llvm::StringRef name, const std::vector<T>& values) {
    json_.attributeArray(name, [&] {
      for (const T& value : values)
        json_.object([&] { list_fields(*this, value); });
    });
  }

private:
  llvm::json::OStream& json_;
};

} // namespace heddle
