#include "support/fields.h"

namespace heddle {

void FieldReader::fail(llvm::StringRef name, llvm::StringRef what) {
  if (error_) return;
  error_ = true;
  std::string field = path_of(name);
  what_ = (field.empty() ? "the file" : "field '" + field + "'") + " " + what.str();
}

const llvm::json::Value* FieldReader::find(llvm::StringRef name) {
  known_.insert(name);
  if (error_) return nullptr;
  const llvm::json::Value* value = object_->get(name);
  if (!value) fail(name, "is missing");
  return value;
}

void FieldReader::operator()(llvm::StringRef name, std::string& out) {
  if (const llvm::json::Value* value = find(name)) {
    if (auto text = value->getAsString())
      out = text->str();
    else
      fail(name, "is not a string");
  }
}

void FieldReader::operator()(llvm::StringRef name, double& out) {
  if (const llvm::json::Value* value = find(name)) {
    if (auto number = value->getAsNumber())
      out = *number;
    else
      fail(name, "is not a number");
  }
}

void FieldReader::operator()(llvm::StringRef name, bool& out) {
  if (const llvm::json::Value* value = find(name)) {
    if (auto flag = value->getAsBoolean())
      out = *flag;
    else
      fail(name, "is neither true nor false");
  }
}

void FieldReader::operator()(llvm::StringRef name, uint64_t& out) {
  if (const llvm::json::Value* value = find(name)) {
    if (auto number = value->getAsUINT64())
      out = *number;
    else
      fail(name, "is not a whole number from 0 on");
  }
}

void FieldReader::operator()(llvm::StringRef name, uint32_t& out) {
  uint64_t wide = out;
  (*this)(name, wide);
  if (wide > UINT32_MAX) fail(name, "is too large");
  out = uint32_t(wide);
}

void FieldReader::operator()(llvm::StringRef name, std::vector<std::string>& out) {
  const llvm::json::Value* value = find(name);
  if (!value) return;
  const llvm::json::Array* array = value->getAsArray();
  if (!array) return fail(name, "is not an array");
  for (const llvm::json::Value& element : *array) {
    auto text = element.getAsString();
    if (!text) return fail(name, "holds something that is not a string");
    out.push_back(text->str());
  }
}

void FieldReader::operator()(llvm::StringRef name, std::vector<uint32_t>& out) {
  const llvm::json::Value* value = find(name);
  if (!value) return;
  const llvm::json::Array* array = value->getAsArray();
  if (!array) return fail(name, "is not an array");
  for (const llvm::json::Value& element : *array) {
    auto number = element.getAsUINT64();
    if (!number || *number > UINT32_MAX) return fail(name, "holds something that is not a block number");
    out.push_back(uint32_t(*number));
  }
}

void FieldWriter::operator()(llvm::StringRef name, const std::vector<uint32_t>& values) {
  json_.attributeArray(name, [&] {
    for (uint32_t value : values)
      json_.value(value);
  });
}

void FieldWriter::operator()(llvm::StringRef name, const std::vector<std::string>& values) {
  json_.attributeArray(name, [&] {
    for (const std::string& value : values)
      json_.value(llvm::json::fixUTF8(value));
  });
}

bool FieldReader::has_unknown() {
  if (error_) return false;
  for (const auto& [name, value] : *object_)
    if (!known_.contains(name)) {
      fail(llvm::StringRef(name), "is unknown");
      return true;
    }
  return false;
}

llvm::Error FieldReader::done(llvm::StringRef where, llvm::StringRef hint) {
  if (!error_ && !has_unknown()) return llvm::Error::success();
  return diagnose(what_, hint, where);
}

} // namespace heddle
