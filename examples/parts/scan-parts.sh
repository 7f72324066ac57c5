#!/bin/sh
# Scans one array that lies in parts: as many files as you like, of any lengths, on as many processes as GNU parallel starts.
#
#     scan-parts.sh [--raw TYPE] [--op NAME] [--exclusive] [--initial VALUE] [--adapter KIND] -o FOLDER PART...
#
# The parts are .npy files of one type, or, with --raw TYPE, elements without a header. FOLDER must not exist. It gets a file
# for each part, of the part's name. It is there whole at the end, or not at all.
#
# WAVEFOLD is the command; left out: npx wavefold. PARALLEL has more options for GNU parallel, such as '-j 4' or
# '--sshlogin one,two --wd .', for machines that have the parts under the same paths.
set -eu

fail() {
  echo "scan-parts: $1" >&2
  exit 1
}
usage='scan-parts.sh [--raw TYPE] [--op NAME] [--exclusive] [--initial VALUE] [--adapter KIND] -o FOLDER PART...'

wavefold=${WAVEFOLD:-npx wavefold}
raw='' op=add exclusive='' initial='' adapter=auto output=''
while [ $# -gt 0 ]; do
  case $1 in
    --*=*)
      option=${1%%=*} value=${1#*=}
      shift
      set -- "$option" "$value" "$@"
      continue
      ;;
    --exclusive)
      exclusive=$1
      shift
      continue
      ;;
    --raw | --op | --initial | --adapter | -o) [ $# -gt 1 ] || fail "$1 takes a value: $usage" ;;
    --)
      shift
      break
      ;;
    -*) fail "there is no option $1: $usage" ;;
    *) break ;;
  esac
  # They become words of commands, which a shell reads.
  case $1 in -o) ;; *) case $2 in '' | *[!A-Za-z0-9.+-]*) fail "$1 is \"$2\": $usage" ;; esac ;; esac
  case $1 in
    --raw) raw=$2 ;;
    --op) op=$2 ;;
    --initial) initial=--initial=$2 ;;
    --adapter) adapter=$2 ;;
    -o) output=${2%/} ;;
  esac
  shift 2
done
case $op in exactAdd) fail '--op exactAdd: a total is rounded, so a sum in parts is not exact; scan the whole at once' ;; esac
[ -n "$output" ] || fail "-o FOLDER is missing: $usage"
[ $# -gt 0 ] || fail "there are no parts: $usage"
case $(parallel --version 2>/dev/null </dev/null || true) in
  'GNU parallel'*) ;;
  *) fail 'GNU parallel is not installed; Debian has it in the package parallel' ;;
esac
[ ! -e "$output" ] || fail "$output is there already; -o takes the name of a new folder"

# Beside the output, so that one rename puts it there.
work=$(mktemp -d "$output.XXXXXX") || fail "$output: its folder is not there, or cannot be written to"
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$work/out"

# Prints the dtype of a .npy file, and its shape: <u4(2,3)
header_of() {
  head -c 65536 "$1" | LC_ALL=C tr -cd '\n\041-\176' |
    sed -n "1s/.*NUMPY.*'descr':'\([^']*\)'.*'shape':\(([^)]*)\).*/\1\2/p"
}

# Checks the parts. One without elements is its own scan: it is copied. The others become "$@" in their order.
type=$raw
first=$1
names=''
for part; do
  shift
  case $part in -*) part=./$part ;; esac
  [ -f "$part" ] && [ -r "$part" ] || fail "$part: there is no such file, or it cannot be read"
  name=${part##*/}
  case "$names/" in *"/$name/"*) fail "two parts are named $name; both results would be one file" ;; esac
  names=$names/$name
  if [ -n "$raw" ]; then
    [ -s "$part" ] && is_empty=false || is_empty=true
  else
    header=$(header_of "$part")
    case $header in
      '<u4('*) own=u32 ;; '<i4('*) own=i32 ;; '<f4('*) own=f32 ;; '<f2('*) own=f16 ;;
      '<u8('*) own=u64 ;; '<i8('*) own=i64 ;; '<f8('*) own=f64 ;;
      '') fail "$part: this is not a .npy file; elements without a header take --raw TYPE" ;;
      *) fail "$part: its dtype is ${header%%(*}; it takes <u4 <i4 <f4 <f2 <u8 <i8 <f8" ;;
    esac
    type=${type:-$own}
    [ "$own" = "$type" ] || fail "$part holds $own, and $first holds $type; all parts take one type"
    case $header in *[\(,]0[,\)]*) is_empty=true ;; *) is_empty=false ;; esac
  fi
  if [ $is_empty = true ]; then
    cp -- "$part" "$work/out/$name"
  else
    set -- "$@" "$part"
  fi
done

export work
format=${raw:+--raw $raw}
options="--op $op --adapter $adapter"
in_parallel() {
  parallel --halt soon,fail=1 --env work "$@" </dev/null
}

if [ $# -gt 0 ]; then
  # 1. The total of each part, printed in the order of the parts, and not in that in which they are done.
  in_parallel --keep-order "$wavefold reduce {} $format $options" ::: "$@" >"$work/totals" ||
    fail 'the totals were not computed; nothing is written'

  # 2. What comes before each part: the exclusive scan of the totals. A sum of floats that are all -0 is -0, unless it
  # starts with 0, as an exclusive one does.
  case "$type $op $exclusive$initial" in f??' add ') start=--initial=-0.0 ;; *) start=$initial ;; esac
  sh -c "$wavefold scan - --text $type $options $start --exclusive -o -" <"$work/totals" >"$work/carries" ||
    fail 'the totals were not scanned; nothing is written'

  # 3. Each part, on top of what comes before it. Nothing comes before the first one, unless --initial says so.
  sed -e 's/^/--initial=/' -e "1s/.*/$initial/" "$work/carries" >"$work/initials"
  in_parallel "$wavefold scan {1} $format $options $exclusive {=2 uq() =} -o \"\$work\"/out/{1/}" \
    ::: "$@" ::::+ "$work/initials" || fail 'the parts were not scanned; nothing is written'
fi

[ ! -e "$output" ] || fail "$output came meanwhile; nothing is written"
mv -- "$work/out" "$output"
