#include "host/rounds.h"

#include "host/host_fields.h"
#include "support/ratio.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace heddle {

namespace {

// A measured number of a host, and the figure that it is the value of, if any.
struct Number {
  double* value;
  Figure* figure;
};

// All numbers of a host, in order of its fields.
class Numbers {
public:
  explicit Numbers(Host& host) { list_fields(*this, host); }
  const std::vector<Number>& all() const { return all_; }

  void operator()(llvm::StringRef, Figure& figure) { all_.push_back({&figure.value, &figure}); }
  void operator()(llvm::StringRef, double& value) { all_.push_back({&value, nullptr}); }
  void operator()(llvm::StringRef, std::string&) {}
  void operator()(llvm::StringRef, uint32_t&) {}
  void operator()(llvm::StringRef, uint64_t&) {}
  template <typename T> void operator()(llvm::StringRef, std::vector<T>& objects) {
    for (T& object : objects)
      list_fields(*this, object);
  }
  template <typename T> void operator()(llvm::StringRef, T& object) { list_fields(*this, object); }

private:
  std::vector<Number> all_;
};

} // namespace

Host median_of_rounds(llvm::ArrayRef<Host> rounds) {
  std::vector<Host> hosts = rounds.vec();
  std::vector<std::vector<Number>> numbers;
  for (Host& host : hosts)
    numbers.push_back(Numbers(host).all());
  llvm::erase_if(numbers, [&](const auto& other) { return other.size() != numbers.front().size(); });
  for (size_t i = 0; i != numbers.front().size(); ++i) {
    std::vector<double> values, spreads;
    std::string source;
    for (const auto& round : numbers) {
      const Number& number = round[i];
      if (*number.value <= 0) continue;
      values.push_back(*number.value);
      if (!number.figure) continue;
      spreads.push_back(number.figure->spread_percent);
      source = number.figure->source;
    }
    if (values.empty()) continue;
    const Number& result = numbers.front()[i];
    *result.value = median_of(values);
    if (!result.figure) continue;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const double range = 100 * (*most - *least) / *result.value;
    *result.figure = {*result.value, std::max(range, median_of(spreads)), source};
  }
  return std::move(hosts.front());
}

} // namespace heddle
