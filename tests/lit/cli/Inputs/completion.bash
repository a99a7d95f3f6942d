# Asks a completion, as bash itself would, for the last word of some command lines. usage: bash completion.bash FILE
source "$1"

# offer WORD...: the words so far, the last one unfinished.
offer() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _heddle
  echo "[$*]" "${COMPREPLY[@]:-(files)}"
}

complete -p heddle | grep -q -- '-o default' || exit 1
offer heddle ''
offer heddle pl
offer heddle --v
offer heddle plan --pol
offer heddle plan --policy ''
offer heddle plan --policy f
offer heddle plan --policy = g
offer heddle build -o ''
offer heddle build ''
offer heddle cc -
offer heddle verify server -- --filt
offer heddle verify --filt
