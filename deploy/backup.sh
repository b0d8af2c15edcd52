#!/bin/sh
# Copies the embedded database while the service runs, and deletes copies that are older than 14 days: see docs/deploy.md.
# The service's MILLRACE_DATA_DIR and MILLRACE_ADMIN_TOKEN are in the environment; the argument is the folder of the copies.
set -eu
folder="${1:?the folder for the copies}"
here="$(cd "$(dirname "$0")/.." && pwd)"
umask 077
mkdir -p "$folder"
"$here/node_modules/.bin/node" "$here/dist/millrace.js" backup "$folder/millrace-$(date +%F).db" --force
find "$folder" -name 'millrace-*.db' -mtime +14 -delete
