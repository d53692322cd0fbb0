#!/bin/sh
# The JDKs on this machine, one of each major version, as lines MAJOR=HOME. The argument (the option
# jdk) and $JAVA_HOME come first, then the javac in PATH, then /usr/lib/jvm.
javac=$(command -v javac 2>/dev/null) && javac=$(dirname "$(dirname "$(readlink -f "$javac")")")
seen=" "
for home in "$1" "$JAVA_HOME" "$javac" /usr/lib/jvm/* /opt/java/* /opt/jdk*; do
    [ -n "$home" ] && [ -x "$home/bin/java" ] && [ -x "$home/bin/javac" ] || continue
    major=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$home/release" 2>/dev/null)
    [ -n "$major" ] || continue
    case $seen in *" $major "*) continue ;; esac
    seen="$seen$major "
    printf '%s=%s\n' "$major" "$home"
done
exit 0
