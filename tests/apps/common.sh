# Shared by the scripts that build real programs: sourced, not run.
#
#   app NAME VERSION [FOLDER]   sets $work and leaves with success if the stamp says that all is done
#   need PACKAGE...             installs missing Debian packages
#   fetch_source PACKAGE VERSION  downloads a Debian source package into $work/source, hashes checked by apt
#   unpack TARBALL FOLDER       unpacks an upstream tarball
#   skip REASON                 ends with the status that means "not run" (77)

set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C

repository=$(cd "$(dirname "$0")/../.." && pwd)
HEDDLE_BIN=${HEDDLE_BIN:-$repository/build/bin}
jobs=${HEDDLE_JOBS:-$(nproc)}

say() { printf '%s: %s\n' "$app_name" "$*"; }
skip() { printf 'SKIP: %s: %s\n' "$app_name" "$*"; exit 77; }
fail() { printf 'FAIL: %s: %s\n' "$app_name" "$*" >&2; exit 1; }

app() {
  app_name=$1 app_version=$2
  work=${3:-$repository/build/apps/$app_name}
  mkdir -p "$work"
  work=$(cd "$work" && pwd)
  stamp=$work/built.stamp
}

# Ends the script if an earlier run with the same compilers has built the program.
done_already() {
  if [ -f "$stamp" ] && [ -x "$1" ] && [ "$(cat "$stamp")" = "$app_version" ]; then
    say "built before: $1"
    exit 0
  fi
}

finished() {
  [ -x "$1" ] || fail "the build made no $1"
  printf '%s\n' "$app_version" > "$stamp"
  say "built: $1"
}

compilers() {
  for tool in heddle-cc heddle-c++; do
    [ -x "$HEDDLE_BIN/$tool" ] || skip "$HEDDLE_BIN/$tool is missing (build Heddle first, or set HEDDLE_BIN)"
  done
  HEDDLE_BIN=$(cd "$HEDDLE_BIN" && pwd)
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo > /dev/null; then sudo -n "$@"
  else return 1
  fi
}

need() {
  missing=
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2> /dev/null | grep -q 'install ok installed' ||
      missing="$missing $package"
  done
  [ -z "$missing" ] && return
  say "installing$missing"
  # shellcheck disable=SC2086
  as_root apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing > "$work/install.log" 2>&1 || {
    as_root apt-get -qq update > "$work/update.log" 2>&1 || true
    as_root apt-get -qq -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing > "$work/install.log" 2>&1
  } || skip "cannot install$missing (see $work/install.log)"
}

# apt with lists and sources of its own, so that the machine's configuration stays as it is.
private_apt() {
  apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/apt/parts" \
    -o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User="$(id -un)" \
    -o Debug::NoLocking=1 "$@"
}

fetch_source() {
  package=$1 version=$2
  mkdir -p "$work/apt/parts" "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/source"
  # The mirror that this machine's packages come from also has their sources.
  mirror=${HEDDLE_DEBIAN_MIRROR:-$(apt-get indextargets --format '$(SITE)|$(RELEASE)' 2> /dev/null |
    sed -n 's/|bookworm$//p' | sort -u | head -n 1)}
  [ -n "$mirror" ] || skip "apt knows no mirror of bookworm (set HEDDLE_DEBIAN_MIRROR)"
  cat > "$work/apt/parts/source.sources" <<END
Types: deb-src
URIs: $mirror
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
  say "downloading the source package $package $version"
  private_apt update > "$work/update.log" 2>&1 || skip "cannot download the package lists (see $work/update.log)"
  if ! (cd "$work/source" && private_apt source --download-only "$package" > "$work/download.log" 2>&1); then
    # The pool may have lost the Debian part; apt has checked what it did get.
    ls "$work/source/${package}_$version".orig.tar.* > /dev/null 2>&1 ||
      skip "cannot download $package (see $work/download.log)"
    say "note: only the upstream tarball could be downloaded; Debian's patches are left out"
  fi
  ls "$work/source/${package}_$version".orig.tar.* > /dev/null 2>&1 ||
    skip "the mirror offers another version than $package $version"
  verify_source "$package" "$version"
}

# The upstream tarball against the hash in the signed description.
verify_source() {
  for dsc in "$work/source/$1_$2"*.dsc; do
    [ -f "$dsc" ] || return 0
    (cd "$work/source" && sed -n '/^Checksums-Sha256:/,/^[^ ]/p' "$dsc" | grep '\.orig\.tar\.[a-z0-9]*$' |
      awk '{ print $1 "  " $3 }' | sha256sum --check --quiet -) || fail "checksum of $1 $2 differs"
  done
}

# unpack PACKAGE VERSION FOLDER: with Debian's patches where they are there, else the upstream tarball alone.
unpack() {
  rm -rf "$3"
  if ls "$work/source/$1_$2"*.debian.tar.* > /dev/null 2>&1; then
    need dpkg-dev
    dpkg-source --no-check -x "$work/source/$1_$2"*.dsc "$3" > "$work/unpack.log" 2>&1 ||
      fail "cannot unpack (see $work/unpack.log)"
  else
    mkdir -p "$3"
    tar -xf "$(ls "$work/source/$1_$2".orig.tar.* | grep -v '\.asc$')" -C "$3" --strip-components=1
  fi
}

# Runs a step with its output in a log file.
step() {
  log=$work/$1.log
  shift
  "$@" > "$log" 2>&1 || { tail -20 "$log" >&2; fail "$1 failed (see $log)"; }
}
