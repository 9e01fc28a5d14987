#!/usr/bin/env bash
# Builds KenLM's lmplz and build_binary from the source package of the kenlm Python module.
#
#     scripts/build_lmplz.sh [FOLDER]        # default: ~/.local/bin
#
# Needs cmake, a C++ compiler, and Boost (program_options, system, thread, unit_test_framework); on
# Debian and Ubuntu, run as root, it installs what is missing. Takes a minute on two cores.
set -euo pipefail
target=$(mkdir -p "${1:-$HOME/.local/bin}" && cd "${1:-$HOME/.local/bin}" && pwd)
python=${PYTHON:-python3}
packages=(cmake g++ make zlib1g-dev libboost-dev libboost-program-options-dev libboost-system-dev
  libboost-thread-dev libboost-test-dev)

if command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "install ok" || missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    if [ "$(id -u)" = 0 ]; then
      apt-get update -qq
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
    else
      echo "needed first: sudo apt-get install ${missing[*]}" >&2
      exit 1
    fi
  fi
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip download --quiet --no-deps --no-binary kenlm --dest "$work" kenlm==0.3.0
mkdir "$work/source"
tar -xzf "$work"/kenlm-*.tar.gz -C "$work/source" --strip-components=1
cmake -S "$work/source" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
  -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DBoost_USE_STATIC_LIBS=ON >"$work/cmake.log" 2>&1 ||
  { cat "$work/cmake.log" >&2; exit 1; }
cmake --build "$work/build" --target lmplz build_binary -j "$(nproc)" >"$work/build.log" 2>&1 ||
  { tail -50 "$work/build.log" >&2; exit 1; }
find "$work/build" -type f \( -name lmplz -o -name build_binary \) -exec install -m 755 {} "$target" \;
"$target/lmplz" --help >/dev/null 2>&1 || [ $? -le 1 ]  # it ran: help ends with status 1
ls -l "$target/lmplz" "$target/build_binary"
