# `make package`: a Debian package of what `make install` installs, by CPack.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME heddle)
set(CPACK_PACKAGE_VENDOR Heddle)
set(CPACK_PACKAGE_CONTACT "Heddle maintainers <maintainers@heddle.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler that makes packet-processing programs faster")
set(CPACK_PACKAGE_DESCRIPTION
  "Heddle cuts the path of a packet into stages that fit the instruction cache,
runs a batch of packets through one stage before the next, and lets other
packets run where one waits for memory. The program's outputs stay the same,
and every cut is explained. It compiles C and C++ in place of clang, profiles
the program on a sample of traffic, plans, builds and verifies.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/package)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Heddle runs these; `heddle bench` counts with perf.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-19, lld-19")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "linux-perf, libdpdk-dev, libpcap-dev")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package/policy.cmake)
include(CPack)
