#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs each artifact of a release on systems where nothing else is, and works with it: the cracks of the sample log with the
# same bytes as from the build, a DICOM folder, a batch with a report, the first script of the Python page, programs in C++ (with
# the packages, one for ITK, too).
#   run.sh [--system NAME] ... [ARTIFACT ...]
# NAME is bookworm, trixie, jammy or bookworm-arm64, which an emulator runs; without one bookworm and trixie are tried, and
# bookworm-arm64 if there is a wheel for it. ARTIFACT is archive, packages, wheel, cuda (the wheel with CUDA, without a GPU), sdist or
# library; all if none is named. Packages are tried on the system that made them, wheels alone on ARM. The target release makes
# what is tried here; each system is kept in an archive for the next time. Needs root and debootstrap, and exits with 77 without
# them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${BUILD:-$root/build/release}
python=$build-python/environment/bin/python
work=$build/install-test
version=$(sed -nE 's/.*Version = "([0-9.]+)".*/\1/p' "$root/Source/Engine/Core/Version.h")
sdist=$build/release/brickccl-$version.tar.gz
archive=$(echo "$build/release/brickccl-$version"-linux-*.tar.gz)
systems=() artifacts=()
while [ $# -gt 0 ]; do
  case $1 in
    --system) systems+=("$2"); shift ;;
    archive | packages | wheel | cuda | sdist | library) artifacts+=("$1") ;;
    *) echo "'$1' is not an artifact; the artifacts are archive, packages, wheel, cuda, sdist and library" >&2; exit 2 ;;
  esac
  shift
done
if [ ${#systems[@]} -eq 0 ]; then
  systems=(bookworm trixie)
  ! compgen -G "$build/release/*_aarch64.whl" >/dev/null || systems+=(bookworm-arm64)
fi
[ ${#artifacts[@]} -gt 0 ] || artifacts=(archive packages wheel cuda sdist library)
if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
  echo "skipped: this needs root and debootstrap" >&2
  exit 77
fi
[ -e "$build/release/SHA256SUMS" ] || { echo "build the target release first" >&2; exit 1; }
(cd "$build/release" && sha256sum --check --quiet SHA256SUMS)

# within COMMAND: runs a command of bash in the system, in the folder /home; a text of the same name there is what it printed.
within() {
  unshare --mount --pid --fork --mount-proc="$system/proc" \
    env -i PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin HOME=/home LANG=C.UTF-8 ${http_proxy:+http_proxy="$http_proxy"} \
    ${CMAKE_BUILD_PARALLEL_LEVEL:+CMAKE_BUILD_PARALLEL_LEVEL="$CMAKE_BUILD_PARALLEL_LEVEL"} \
    chroot "$system" bash -euo pipefail -c "cd /home; $1"
}
install_packages() {
  within "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Use-Pty=0 \
    --no-install-recommends $* >/dev/null"
}
# work_with COMMAND: what a user does with the command on the first day; its results are those of the build.
work_with() {
  rm -rf "$system"/home/{cracks.nrrd,bones.nii.gz,castings,report}
  within "$1 label log.nrrd cracks.nrrd ${cracks[*]} --quiet"
  cmp "$system/home/cracks.nrrd" "$work/cracks.nrrd"
  seconds=$((SECONDS - begin))
  within "$1 label forearm bones.nii.gz --threshold 200 --connectivity full --quiet"
  cmp <(zcat "$system/home/bones.nii.gz") <(zcat "$work/bones.nii.gz")
  within "mkdir castings
    for seed in 1 2 3; do
      $1 phantom casting castings/\$seed.nrrd --seed \$seed --size 64 64 48 --spacing 0.2 0.2 0.2 --quiet
    done
    $1 batch casting-porosity castings -o report --report --quiet"
  # All but the notes, which say that pictures of surfaces are missing.
  diff <(cut -d, -f1-13 "$system/home/report/items.csv") <(cut -d, -f1-13 "$work/report/items.csv")
  cmp "$system/home/report/defects.csv" "$work/report/defects.csv"
  grep -q '</html>' "$system/home/report/report.html"
}
# The script of the page, and what it prints.
python_page() {
  "$python" - "$root/Wrapping/Python/README.md" "$system/home" <<'END'
import pathlib, re, sys
page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
blocks = re.search(r"```python\n(.*?)```.*?```text\n(.*?)```", page, re.DOTALL)
for name, text in zip(("first.py", "first.txt"), blocks.groups()):
    (pathlib.Path(sys.argv[2]) / name).write_text(text, encoding="utf-8")
END
  within "$1/bin/python3 first.py >printed.txt && diff first.txt printed.txt && test -s pores.csv"
}
# The packages that pip asks for: the systems below need no package index.
wheels_for() {
  local version
  version=$(within "python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'")
  nice "$python" -m pip download --quiet --only-binary=:all: --python-version "$version" \
    --platform "manylinux_2_28_$processor" --platform "manylinux_2_17_$processor" --dest "$system/home/wheels" "$@"
}
pip_install() {
  install_packages python3 python3-venv "${@:3}"
  within "python3 -m venv '$1'"
  begin=$SECONDS
  within "'$1/bin/pip' install --quiet --no-index --find-links wheels $2"
}

try_archive() {
  begin=$SECONDS
  tar -xzf "$archive" -C "$system/opt"
  local command
  command=$(cd "$system" && echo opt/brickccl-*/bin/brickccl)
  work_with "/$command"
  within "/$command mesh cracks.nrrd cracks.stl --quiet && test -s cracks.stl"
  within "/${command%/bin/*}/lib/BrickCCL/cli-modules/BrickLabelVolume --xml >/dev/null"
  size=$(stat -c %s "$archive")
}
try_packages() {
  ! command -v lintian >/dev/null || lintian --allow-root --fail-on error,warning "$build"/release/*.deb
  cp "$build"/release/*.deb "$system/home/"
  begin=$SECONDS
  install_packages './*.deb'
  work_with brickccl
  within "brickccl mesh cracks.nrrd cracks.stl --quiet && test -s cracks.stl"
  python_page /usr
  within "python3 -c 'import brickccl; print(brickccl.io.read(\"log.nrrd\").array.shape)' && python3 -m brickccl --version >/dev/null"
  install_packages cmake g++ make libinsighttoolkit5-dev
  cp -r "$root/Testing/Consumer" "$system/home/"
  within "cmake -S Consumer -B packaged -DCASES=plain,components >/dev/null && cmake --build packaged >/dev/null &&
    ctest --test-dir packaged --no-tests=error --output-on-failure"
  within "apt-get purge -y -qq brickccl libbrickccl-dev python3-brickccl >/dev/null"
  size=$(du -cb "$build"/release/*.deb | tail -n 1 | cut -f1)
}
try_wheel() {
  local wheel package=${1:-brickccl}
  wheel=$(echo "$build/release/$package-$version"-*"_$processor.whl")
  install_packages python3
  wheels_for numpy nanobind-backend
  cp "$wheel" "$system/home/wheels/"
  pip_install "/opt/my tools" "$package"
  work_with "'/opt/my tools/bin/brickccl'"
  python_page "/opt/my\\ tools"
  size=$(stat -c %s "$wheel")
}
try_cuda() {
  rm -rf "$system/opt/my tools"
  try_wheel "$(basename "$build"/release/brickccl_cuda*.whl | cut -d- -f1)"
}
try_sdist() {
  install_packages python3
  wheels_for numpy nanobind-backend nanobind scikit-build-core cmake ninja
  cp "$sdist" "$system/home/"
  pip_install /opt/built "/home/${sdist##*/}" build-essential libhwy-dev python3-dev
  python_page /opt/built
  seconds=$((SECONDS - begin))
  size=$(stat -c %s "$sdist")
}
try_library() {
  install_packages cmake g++ make
  begin=$SECONDS
  cmake --install "$build" --component library --prefix "$system/usr/local" >/dev/null
  cp -r "$root/Testing/Consumer" "$system/home/"
  within "cmake -S Consumer -B consumer -DCASES=plain >/dev/null && cmake --build consumer >/dev/null &&
    ctest --test-dir consumer --no-tests=error --output-on-failure"
  seconds=$((SECONDS - begin))
  size=$(du -sb "$system/usr/local" | cut -f1)
}

# What the build makes of the same files.
mkdir -p "$work"
# Processors compress differently.
cracks=(--range -inf -750 --connectivity 26 --minimum-size 20 --maximum-size 300000 --order size --no-compression)
cd "$work"
rm -rf castings report
"$build/bin/brickccl" label "$root/Data/log.nrrd" cracks.nrrd "${cracks[@]}" --quiet
"$build/bin/brickccl" label "$root/Data/forearm" bones.nii.gz --threshold 200 --connectivity full --quiet
mkdir castings
for seed in 1 2 3; do
  "$build/bin/brickccl" phantom casting "castings/$seed.nrrd" --seed "$seed" --size 64 64 48 --spacing 0.2 0.2 0.2 --quiet
done
"$build/bin/brickccl" batch casting-porosity castings -o report --quiet

rows=()
for name in "${systems[@]}"; do
  system=$work/$name processor=$(uname -m)
  mirror=http://deb.debian.org/debian options=()
  [ "$name" != jammy ] || mirror=http://archive.ubuntu.com/ubuntu options=(--no-check-gpg "--components=main,universe")
  if [ "$name" = bookworm-arm64 ]; then
    processor=aarch64 options=(--arch=arm64)
    # The kernel starts programs for ARM by the emulator of Testing/install-arm.sh.
    mountpoint -q /proc/sys/fs/binfmt_misc || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    [ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register
  fi
  if [ ! -e "$work/$name.tar" ] && { rm -rf "$system" &&
    debootstrap --variant=minbase "${options[@]}" "${name%-arm64}" "$system" "$mirror" >"$work/$name.log" 2>&1; }; then
    tar -C "$system" -cf "$work/$name.tar" .
  fi
  if [ ! -e "$work/$name.tar" ]; then
    tail -n 3 "$work/$name.log" >&2
    rows+=("$(printf '%-10s skipped: debootstrap could not install it from %s' "$name" "$mirror")")
    continue
  fi
  rm -rf "$system"
  mkdir "$system"
  tar -C "$system" -xpf "$work/$name.tar"
  cp -r "$root/Data/log.nrrd" "$root/Data/forearm" "$system/home/"
  for artifact in archive packages wheel cuda sdist library; do
    case " ${artifacts[*]} " in *" $artifact "*) ;; *) continue ;; esac
    [ "$processor" != aarch64 ] || [ "$artifact" = wheel ] || continue
    [ "$artifact" != cuda ] || compgen -G "$build/release/brickccl_cuda*.whl" >/dev/null || continue
    [ "$artifact" != packages ] || grep -q "VERSION_CODENAME=$name" /etc/os-release || continue
    echo "== $artifact on $name"
    seconds=0
    try_$artifact
    rows+=("$(printf '%-10s %-8s %7.1f MB, first result after %d s' "$name" "$artifact" "$((size / 10000))e-2" "$seconds")")
    echo "${rows[-1]}"
  done
  rm -rf "$system"
done
printf '%s\n' "== systems, artifacts, sizes" "${rows[@]}"
