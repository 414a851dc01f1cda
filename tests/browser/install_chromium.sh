#!/usr/bin/env bash
# Make sure that there is a browser for the tests. `--find` only prints the path of the one there is.
set -euo pipefail

# The shell without a window comes first: the same engine for little more than half the work.
find_browser() {
  local name
  for name in ${BROWSER_FOR_TESTS:+"$BROWSER_FOR_TESTS"} chromium-headless-shell chromium chromium-browser \
    google-chrome google-chrome-stable; do
    command -v "$name" && return
  done
  return 1
}

give_up() {
  echo "No browser for the tests: $1" >&2
  echo "Install Chromium or Chrome, or set BROWSER_FOR_TESTS to the path of one." >&2
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo --non-interactive "$@"; fi
}

if [ "${1:-}" = --find ]; then
  find_browser
  exit
fi

find_browser >/dev/null && exit
command -v apt-get >/dev/null || give_up "this system has no apt-get."
as_root true 2>/dev/null || give_up "installing one needs root or sudo without a password."
echo "Installing Chromium for the browser tests."
export DEBIAN_FRONTEND=noninteractive
as_root apt-get update -qq || give_up "apt-get update failed."
for package in chromium-headless-shell chromium; do
  as_root apt-get install -y -qq --no-install-recommends "$package" >/dev/null && find_browser >/dev/null && exit
done
give_up "apt-get install chromium failed."
