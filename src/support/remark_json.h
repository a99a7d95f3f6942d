// A remark as JSON, the same in every result: "code", "where", "what", "hint".
#pragma once

#include "support/diagnostic.h"

#include "llvm/Support/JSON.h"

namespace heddle {

llvm::json::Object as_json(const Remark& remark);

} // namespace heddle
