#!/bin/sh
# Find a chromium for the browser tests, or install Debian's; Ubuntu's is a snap, so there KLYUCH_BROWSER names one.
set -eu
if [ -n "${KLYUCH_BROWSER:-}" ]; then exit 0; fi
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done
if command -v apt-get >/dev/null 2>&1; then
  if [ "$(id -u)" -eq 0 ]; then sudo=""; else sudo="sudo"; fi
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq chromium >/dev/null && exit 0
fi
echo "The browser tests need chromium or Google Chrome: install one, or set KLYUCH_BROWSER to its path." >&2
exit 1
