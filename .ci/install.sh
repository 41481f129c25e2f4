#!/bin/sh
# Installs the program, its completions, and its man pages under a folder, by default ~/.local:
# `./install.sh [FOLDER]`. `./install.sh remove [FOLDER]` removes them again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
remove=no
if [ "${1:-}" = remove ]; then
    remove=yes
    shift
fi
prefix=${1:-$HOME/.local}

# Installs or removes FILE as FOLDER/NAME with this mode.
put() {
    if [ "$remove" = yes ]; then
        rm -f "$prefix/$2/$3"
        (cd "$prefix" 2>/dev/null && rmdir -p "$2" 2>/dev/null) || true # what is empty now
    else
        mkdir -p "$prefix/$2"
        cp "$1" "$prefix/$2/$3"
        chmod "$4" "$prefix/$2/$3"
    fi
}

put "$here/arena" bin arena 755
put "$here/completions/arena.bash" share/bash-completion/completions arena 644
put "$here/completions/_arena" share/zsh/site-functions _arena 644
put "$here/completions/arena.fish" share/fish/vendor_completions.d arena.fish 644
for page in "$here"/man/*.1; do put "$page" share/man/man1 "${page##*/}" 644; done

if [ "$remove" = yes ]; then
    rmdir "$prefix" 2>/dev/null || true
    echo "removed from $prefix"
    exit
fi
echo "installed $prefix/bin/arena"
case ":$PATH:" in
*":$prefix/bin:"*) ;;
*) echo "add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
