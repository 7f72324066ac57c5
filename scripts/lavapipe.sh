#!/usr/bin/env bash
# Unpacks Mesa's lavapipe from Debian's packages into a folder, and prints the file that names it to a Vulkan
# loader: for WAVEFOLD_LAVAPIPE. It is not installed, since Dawn would find it for every program, and refuses it.
set -euo pipefail
for installed in /usr/share/vulkan/icd.d/lvp_icd*.json; do
  if [ -e "$installed" ]; then
    echo "$installed"
    exit
  fi
done
folder="${1:-${XDG_CACHE_HOME:-$HOME/.cache}/wavefold/lavapipe}"
icd="$folder/lvp_icd.json"
if [ ! -e "$icd" ]; then
  mkdir -p "$folder/archives/partial"
  # What it needs and the system lacks comes along.
  apt-get install -y -qq --no-install-recommends --download-only \
    -o Dir::Cache::archives="$folder/archives" mesa-vulkan-drivers >&2
  for package in "$folder"/archives/*.deb; do
    dpkg -x "$package" "$folder"
  done
  rm -r "$folder/archives"
  sed "s#\"/usr/#\"$folder/usr/#" "$folder"/usr/share/vulkan/icd.d/lvp_icd*.json >"$icd.part"
  mv "$icd.part" "$icd"
fi
echo "$icd"
