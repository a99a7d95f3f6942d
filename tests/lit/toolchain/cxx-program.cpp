// heddle c++ links the C++ library, and exceptions cross wrapped objects.
// RUN: mkdir -p %t && cd %t
// RUN: %heddle_cxx -std=c++20 -O2 %s -o prog && ./prog | FileCheck %s
// RUN: %heddle_cxx -std=c++20 -stdlib=libstdc++ -fsanitize=address,undefined %s -o asan && ./asan | FileCheck %s
// CHECK: caught 42
#include <iostream>
#include <stdexcept>
static int f(int x) {
  if (x == 42) throw std::runtime_error(std::to_string(x));
  return x;
}
int main() {
  try {
    return f(42);
  } catch (const std::exception& e) {
    std::cout << "caught " << e.what() << "\n";
  }
}
