# What the scripts share; to be sourced by bash.
# shellcheck shell=bash

# The Debian packages that a build with its tests needs, and those that the checks of the sources need besides.
# shellcheck disable=SC2034  # used by the scripts
BUILD_PACKAGES=(build-essential cmake ninja-build python3 libbenchmark-dev libboost-dev
  libboost-program-options-dev libgmp-dev libgtest-dev libspdlog-dev libtbb-dev nlohmann-json3-dev)
# shellcheck disable=SC2034
CHECK_PACKAGES=(clang-16 clang-format-16 clang-tidy-16 g++-aarch64-linux-gnu qemu-user)

# as_root COMMAND...: runs it as root, with sudo where this is another user.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    echo "not root and sudo is not installed; run as root: $*" >&2
    return 1
  fi
}

# install_packages NAME...: installs those Debian packages that are missing; touches nothing where none is.
install_packages() {
  local name missing=()
  for name in "$@"; do
    if [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2> /dev/null)" != installed ]; then
      missing+=("$name")
    fi
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  echo "installing: ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update < /dev/null
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -o Dpkg::Use-Pty=0 \
    "${missing[@]}" < /dev/null
}

# install_node: node and npm from Debian where the machine has none of its own.
install_node() {
  local missing=()
  command -v node > /dev/null || missing+=(nodejs)
  command -v npm > /dev/null || missing+=(npm)
  install_packages "${missing[@]}"
}

# node_tools FOLDER: snarkjs and circom2 of tests/e2e/package-lock.json in FOLDER/node_modules, installed once.
node_tools() {
  local e2e
  e2e=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../tests/e2e")
  if cmp -s "$e2e/package-lock.json" "$1/installed.json"; then
    return 0
  fi
  mkdir -p "$1"
  cp "$e2e/package.json" "$e2e/package-lock.json" "$e2e/../../.npmrc" "$1"
  (cd "$1" && npm ci --ignore-scripts --silent < /dev/null)
  cp "$e2e/package-lock.json" "$1/installed.json"
}

# quietly COMMAND...: its output is shown only where it fails.
quietly() {
  local output
  if ! output=$("$@" 2>&1 < /dev/null); then
    printf '%s\n' "$output"
    return 1
  fi
}
