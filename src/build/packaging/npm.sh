#!/bin/sh
# Starts the program of the package for this machine, which npm has installed beside this one.
here=$(dirname -- "$(readlink -f -- "$0")")
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) name=holdfast-linux-x64 ;;
  Linux-aarch64 | Linux-arm64) name=holdfast-linux-arm64 ;;
  Darwin-x86_64) name=holdfast-darwin-x64 ;;
  Darwin-arm64) name=holdfast-darwin-arm64 ;;
  *) echo "holdfast: there is no program for $(uname -s) on $(uname -m)." >&2; exit 1 ;;
esac
for loader in /lib/ld-musl-*; do
  if [ -e "$loader" ]; then name=$name-musl; fi
done
for folder in "$here/node_modules/$name" "$here/../$name"; do
  if [ -x "$folder/holdfast" ]; then exec "$folder/holdfast" "$@"; fi
done
echo "holdfast: the package $name is missing. Install again, without --omit=optional." >&2
exit 1
