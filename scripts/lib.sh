# Shared by the scripts beside it; source it from the checkout's root.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/coxswain
libtorch_home=${COXSWAIN_LIBTORCH:-$cache/libtorch/2.11.0}

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() { say "$*"; exit 1; }

# Prints the comment at the head of the calling script.
usage() { awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$0"; exit 0; }

# build PRESET TARGET...: configures and builds, one line a step on a terminal.
build() {
    local preset=$1 folder log
    shift
    folder=build
    [ "$preset" = release ] || folder=build/$preset
    say "building ($preset)"
    log=$(cmake --preset "$preset" 2>&1) || { printf '%s\n' "$log" >&2; die "configuring failed"; }
    cmake --build "$folder" ${1:+--target "$@"}
}
