#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes Debian packages of a build: the command (brickccl), the library for C++ (libbrickccl-dev) and, from a wheel with the
# command, the Python package (python3-brickccl) in FOLDER, for the system that built them. The build target release calls it.
#   make-packages.sh BUILD FOLDER [WHEEL PYTHON]
# PYTHON has nanobind-backend, which Debian 12 has no package of.
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)
. "$source/make-moment.sh"
build=$(cd "$1" && pwd) folder=$(cd "$2" && pwd)
version=$(sed -nE 's/.*Version = "([0-9.]+)".*/\1/p' "$source/Engine/Core/Version.h")
architecture=$(dpkg --print-architecture)
stage=$build/packages
rm -rf "$stage"

# package NAME SECTION DEPENDS SUMMARY COMPONENT ...: the description comes from standard input.
package() {
  local name=$1 section=$2 depends=$3 summary=$4 root=$stage/$1 component
  shift 4
  for component in "$@"; do
    cmake --install "$build" --component "$component" --prefix "$root/usr" --strip >/dev/null
  done
  local doc=$root/usr/share/doc/$name
  mkdir -p "$root/DEBIAN" "$doc"
  {
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n'
    printf 'Files: *\nCopyright: 2026 the BrickCCL authors\nLicense: Apache-2.0\n'
    printf ' On Debian systems, the text of the license is in /usr/share/common-licenses/Apache-2.0.\n'
  } >"$doc/copyright"
  { printf 'brickccl (%s) unstable; urgency=low\n\n  * The release %s; see CHANGELOG.md.gz.\n\n' "$version" "$version"
    printf ' -- the BrickCCL authors <brickccl@users.noreply.github.com>  %s\n' "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
  } | gzip -9n >"$doc/changelog.gz"
  gzip -9nc "$source/../CHANGELOG.md" >"$doc/CHANGELOG.md.gz"
  if [ "$name" = brickccl ]; then
    complete_command "$root/usr"
    depends="$(libraries_of "$root")
$(hdf5_package)"
  elif [ "$name" = python3-brickccl ]; then
    depends="$(libraries_of "$root"), $depends
$(hdf5_package)
Suggests: python3-pandas, python3-nibabel"
  fi
  {
    printf 'Package: %s\nVersion: %s\nArchitecture: %s\nSection: %s\nPriority: optional\n' "$name" "$version" "$architecture" "$section"
    printf 'Maintainer: the BrickCCL authors <brickccl@users.noreply.github.com>\n%s\n' "$depends"
    printf 'Installed-Size: %s\nDescription: %s\n' "$(du -sk --exclude=DEBIAN "$root" | cut -f1)" "$summary"
    sed 's/^/ /'
  } >"$root/DEBIAN/control"
  (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
  find "$root" -type d -exec chmod 755 {} +
  find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  dpkg-deb --root-owner-group -Zxz --build "$root" "$folder/${name}_${version}_$architecture.deb" >/dev/null
}
# complete_command PREFIX: the manual, the completions and the recipes.
complete_command() {
  local share=$1/share
  mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/vendor-completions,doc/brickccl/recipes}
  "$1/bin/brickccl" manual | gzip -9n >"$share/man/man1/brickccl.1.gz"
  "$1/bin/brickccl" completion bash >"$share/bash-completion/completions/brickccl"
  "$1/bin/brickccl" completion zsh >"$share/zsh/vendor-completions/_brickccl"
  cp "$source"/Inspection/Batch/Recipes/*.toml "$share/doc/brickccl/recipes/"
}
# libraries_of ROOT: the packages that the programs load libraries from.
libraries_of() {
  (
    cd "$stage"
    mkdir -p debian
    printf 'Source: brickccl\n' >debian/control
    mapfile -t programs < <(find "$1" -type f \( -perm -100 \( -path '*bin/*' -o -path '*libexec/*' \) -o -name '*.so' \))
    dpkg-shlibdeps -O "${programs[@]}" 2>/dev/null | sed 's/^shlibs:Depends=/Depends: /'
  )
}

# HDF5 is loaded when it is needed.
hdf5_package() {
  local file
  file=$(/sbin/ldconfig -p | awk "/libhdf5(_serial)?[.]so[.][0-9]+ / && !found { print \$NF; found = 1 }")
  [ -z "$file" ] || { dpkg-query -S "$(readlink -f "$file")" "$file" 2>/dev/null | sed -n '1s/^\([^:]*\):.*/Recommends: \1/p'; } || true
}

package brickccl science "" "connected components of CT and medical volumes" command <<'END'
brickccl labels the connected components of 2-D and 3-D images, such as the
pores of a casting or the lesions of a scan, measures them, draws them and
judges whole batches by recipes.
END
package libbrickccl-dev libdevel "Depends: libhwy-dev, libc6, libstdc++6
Suggests: libinsighttoolkit5-dev, libvtk9-dev" "connected components of images (development files)" library itk vtk <<'END'
The C++ library of BrickCCL with its filters for ITK and VTK:
find_package(BrickCCL).
END
[ $# -ge 4 ] || exit 0

# The modules of the wheel with the system's libraries; the package brickccl brings the command.
root=$stage/python3-brickccl modules=$stage/python3-brickccl/usr/lib/python3/dist-packages
mkdir -p "$root/DEBIAN" "$modules"
"$4" -m zipfile -e "$3" "$modules"
cp -r "$("$4" -c 'import nanobind_backend; print(nanobind_backend.__path__[0])')" "$modules/"
find "$modules" -name __pycache__ -prune -exec rm -r {} +
rm -rf "$modules"/brickccl_command/{brickccl,lib*} "$modules"/*.dist-info/RECORD
ln -s ../../../../bin/brickccl "$modules/brickccl_command/brickccl"
strip --strip-unneeded "$modules"/*/*.so
printf '#!/bin/sh\nset -e\n[ "$1" != configure ] || py3compile -p python3-brickccl\n' >"$root/DEBIAN/postinst"
printf '#!/bin/sh\nset -e\npy3clean -p python3-brickccl\n' >"$root/DEBIAN/prerm"
chmod 755 "$root"/DEBIAN/p*
minor=$("$4" -c 'import sys; print(sys.version_info[1])')
package python3-brickccl python "brickccl (= $version), python3-numpy, python3 (>= 3.$minor), python3 (<< 3.$((minor + 1)))" \
  "connected components of CT and medical volumes (Python)" <<'END'
The Python package brickccl labels connected components in numpy arrays and
image files, filters them and measures them.
END
