# SPDX-License-Identifier: Apache-2.0
# Cross-compiles the package for 64-bit ARM, with the libraries of Testing/install-arm.sh.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
get_filename_component(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-packages ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
# Debian has no ITK for ARM.
set(CMAKE_DISABLE_FIND_PACKAGE_ITK ON)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})
file(GLOB Python_INCLUDE_DIR ${CMAKE_SYSROOT}/usr/include/python3.*)
