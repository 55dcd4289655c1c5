# Read by zsh in place of the user's .zshenv (src/main/command/shellMarks.ts). All other files are the user's own.
if [[ -n ${TIZONA_ZDOTDIR+x} ]]; then
  export ZDOTDIR=$TIZONA_ZDOTDIR
  unset TIZONA_ZDOTDIR
else
  unset ZDOTDIR
fi

# Marks the start of the prompt (A), the command line (E), and the start (C) and end (D) of its output. Programs in the
# terminal cannot mark a command line, because they do not know the code.
typeset -g _tizona_code=$TIZONA_MARKS
unset TIZONA_MARKS
if [[ -o interactive ]]; then
  _tizona_prompt() {
    print -n "\e]133;D;$?\a\e]133;A\a"
  }
  # A line that begins with a space stays out, as in the history of many users.
  _tizona_command() {
    emulate -L zsh
    if [[ $1 != ' '* ]]; then
      local line=${1//\\/\\\\}
      line=${line//;/\\x3b}
      line=${line//$'\n'/\\x0a}
      print -rn -- $'\e]633;E;'${line//[[:cntrl:]]/}";$_tizona_code"$'\a'
    fi
    print -n '\e]133;C\a'
  }
  typeset -ga precmd_functions preexec_functions
  precmd_functions=(_tizona_prompt $precmd_functions)
  preexec_functions=(_tizona_command $preexec_functions)
fi

[[ -r ${ZDOTDIR:-$HOME}/.zshenv ]] && source "${ZDOTDIR:-$HOME}/.zshenv"
