#!/bin/sh
# Installs Holdfast @VERSION@: chooses the program for this machine, checks its checksum and signature, and copies it to
# ~/.local/bin or the folder after --dir. It asks for no rights: as root, name the folder.
set -eu

VERSION='@VERSION@'
# Address of the release's files, and the key that verifies their signature.
URL=${HOLDFAST_URL:-'@URL@'}
PUBLIC_KEY=${HOLDFAST_PUBLIC_KEY:-'@PUBLIC_KEY@'}
# Where tests have other files of the system.
ROOT=${HOLDFAST_ROOT:-}

fail() {
  echo "install.sh: $1 Nothing was installed." >&2
  exit 1
}

# Prints the name of the program for this machine.
target() {
  case "$(uname -s)" in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "There is no program for $(uname -s)." ;;
  esac
  case "$(uname -m)" in
    x86_64 | amd64) cpu=x64 ;;
    aarch64 | arm64) cpu=arm64 ;;
    *) fail "There is no program for $(uname -m)." ;;
  esac
  libc=''
  for loader in "$ROOT"/lib/ld-musl-*; do
    if [ -e "$loader" ]; then libc=-musl; fi
  done
  baseline=''
  if [ "$system-$cpu" = linux-x64 ] && ! grep -qw avx2 "$ROOT/proc/cpuinfo"; then baseline=-baseline; fi
  echo "$system-$cpu$libc$baseline"
}

# Downloads a file of the release into the working folder.
download() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$1" "$URL/$1" || fail "$URL/$1 cannot be downloaded."
  else
    wget -q -O "$1" "$URL/$1" || fail "$URL/$1 cannot be downloaded."
  fi
}

# Checks that the list of checksums is signed for this version.
verify_signature() {
  if [ -z "$PUBLIC_KEY" ]; then
    echo "The signature is not checked: this script has no key." >&2
  elif ! command -v minisign >/dev/null; then
    if [ -n "${HOLDFAST_REQUIRE_SIGNATURE:-}" ]; then fail "minisign is not installed."; fi
    echo "The signature is not checked: minisign is not installed." >&2
  else
    download SHA256SUMS.minisig
    comment=$(minisign -VQm SHA256SUMS -P "$PUBLIC_KEY") || fail "The signature of SHA256SUMS is wrong."
    [ "$comment" = "holdfast $VERSION" ] || fail "SHA256SUMS is signed for \"$comment\", not for $VERSION."
  fi
}

# Checks that a file is what the list of checksums says.
verify_checksum() {
  grep "  $1\$" SHA256SUMS >wanted || fail "SHA256SUMS does not list $1."
  if command -v sha256sum >/dev/null; then check='sha256sum -c'; else check='shasum -a 256 -c'; fi
  $check wanted >/dev/null 2>&1 || fail "The checksum of $1 is wrong: the download was cut or changed."
}

main() {
  dir=''
  if [ "${1:-}" = --dir ]; then dir=${2:-}; fi
  if [ -z "$dir" ] && [ "$(id -u)" -eq 0 ]; then fail "As root, name the folder: install.sh --dir /usr/local/bin."; fi
  if [ -z "$dir" ]; then dir=$HOME/.local/bin; fi
  case "$URL" in '') fail "Set HOLDFAST_URL to the address of the release's files." ;; esac
  case "$dir" in /*) ;; *) dir=$PWD/$dir ;; esac

  name=holdfast-$VERSION-$(target)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  cd "$work"
  download SHA256SUMS
  verify_signature
  download "$name.tar.gz"
  verify_checksum "$name.tar.gz"
  tar -xzf "$name.tar.gz"
  "$name/holdfast" --version >/dev/null || fail "The program does not start on this machine."

  mkdir -p "$dir"
  # A rename, because a running program cannot be overwritten.
  cp "$name/holdfast" "$dir/.holdfast.new"
  chmod 755 "$dir/.holdfast.new"
  mv "$dir/.holdfast.new" "$dir/holdfast"
  echo "Holdfast $VERSION is installed: $dir/holdfast"
  case ":$PATH:" in *":$dir:"*) ;; *) echo "Add $dir to PATH to start it as holdfast." ;; esac
}

main "$@"
