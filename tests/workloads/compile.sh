#!/bin/sh
# compile.sh JAVAC FOLDER FILE.java…: compiles into a fresh FOLDER, so that its time is that of the
# build and no class of a file that is gone stays.
set -e
javac=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"
exec "$javac" --release 17 -Xlint:all -Werror -d "$folder" "$@"
