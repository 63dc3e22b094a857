#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the engine, the readers of image files, the Python modules and the sockets of `brickccl view` for macOS on 64-bit ARM,
# with zig from the Python package index as cross-compiler and the headers of Debian's libraries, in build/macos. Nothing is linked,
# nothing is run.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$PWD/build/macos
mkdir -p "$folder"
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet ziglang==0.17.1 nanobind

# Headers of libraries, without those of Linux next to them.
rm -rf "$folder/include"
mkdir -p "$folder/include" "$folder/bin"
dpkg -L libhwy-dev:amd64 libtiff-dev libpng-dev libjpeg62-turbo-dev zlib1g-dev libisal-dev libhdf5-dev libblosc-dev libzstd-dev \
  libgdcm-dev nlohmann-json3-dev | sed -nE 's,^/usr/include/(.+\.(h|hpp|txx))$,\1,p' | while read -r name; do
    install -Dm 644 "/usr/include/$name" "$folder/include/${name#x86_64-linux-gnu/}"
  done
# CMake would link a program to see which compiler this is, and zig compile the C++ library for it.
for name in cc c++ ar ranlib; do
  target="-target aarch64-macos"
  case $name in ar | ranlib) target="" ;; esac
  printf '#!/bin/sh\ncase "$*" in *CompilerId.c*) set -- -c "$@" ;; esac\nexec "%s" -m ziglang %s %s "$@"\n' \
    "$folder/python/bin/python" "$name" "$target" >"$folder/bin/$name"
  chmod +x "$folder/bin/$name"
done

touch "$folder/library.a"
for name in hwy nlohmann_json; do
  cat >"$folder/$name-config.cmake" <<END
add_library($name::$name STATIC IMPORTED)
set_target_properties($name::$name PROPERTIES IMPORTED_LOCATION $folder/library.a INTERFACE_INCLUDE_DIRECTORIES $folder/include)
END
done
options=(-Dhwy_DIR="$folder" -Dnlohmann_json_DIR="$folder" -DPNG_PNG_INCLUDE_DIR="$folder/include" -DBRICKCCL_PYTHON_IO=ON)
for name in TIFF PNG JPEG ZLIB ISAL BLOSC ZSTD GDCM_MSFF GDCM_DSED GDCM_COMMON; do
  options+=("-D${name}_LIBRARY=$folder/library.a" "-D${name}_INCLUDE_DIR=$folder/include")
done
options+=("-DGDCM_INCLUDE_DIR=$folder/include/gdcm-3.0")
for name in ENABLE_CLI ENABLE_PYTHON ENABLE_CUDA BUILD_TESTING BUILD_BENCHMARKS; do
  options+=("-DBRICKCCL_$name=OFF")
done
for name in INCLUDE LIBRARY PACKAGE; do
  options+=("-DCMAKE_FIND_ROOT_PATH_MODE_$name=ONLY")
done
cmake -S . -B "$folder" -G Ninja -Wno-dev --no-warn-unused-cli --log-level=WARNING -DCMAKE_BUILD_TYPE=None \
  -DCMAKE_SYSTEM_NAME=Darwin -DCMAKE_SYSTEM_PROCESSOR=arm64 \
  -DCMAKE_C_COMPILER="$folder/bin/cc" -DCMAKE_CXX_COMPILER="$folder/bin/c++" \
  -DCMAKE_AR="$folder/bin/ar" -DCMAKE_RANLIB="$folder/bin/ranlib" -DCMAKE_INSTALL_NAME_TOOL=/bin/false -DCMAKE_OSX_SYSROOT= \
  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DCMAKE_FIND_ROOT_PATH="$folder" "${options[@]}"
cmake --build "$folder" --target brickccl brickccl-segmenting brickccl-phantoms brickccl-files
# The Python modules need the headers of Python and nanobind. Of the command, only what calls the system itself is compiled.
headers=(-I "$folder/include" -I "$("$folder/python/bin/python" -m nanobind --include_dir)"
  -isystem "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["include"])')")
sources=("$PWD"/Wrapping/Python/Source/*.cxx "$PWD/Source/Inspection/View/Sockets.cxx")
printf '%s\0' "${sources[@]}" | (cd "$folder" && xargs -0 -P "$(nproc)" -I {} \
  "$folder/bin/c++" -std=c++17 -DBRICKCCL_BUILD_OPTIONS='"compiled for macOS"' "${headers[@]}" -c {})
echo "the engine, the readers of image files and the Python modules compile for macOS on 64-bit ARM"
