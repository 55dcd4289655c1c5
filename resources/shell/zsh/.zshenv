# Read by zsh in place of the user's .zshenv (src/main/command/shellMarks.ts). All other files are the user's own.
if [[ -n ${TIZONA_ZDOTDIR+x} ]]; then
  export ZDOTDIR=$TIZONA_ZDOTDIR
  unset TIZONA_ZDOTDIR
else
  unset ZDOTDIR
fi
[[ -r ${ZDOTDIR:-$HOME}/.zshenv ]] && source "${ZDOTDIR:-$HOME}/.zshenv"
# Marks the end of the prompt (B), and the start (C) and end (D) of a command's output.
if [[ -o interactive ]]; then
  autoload -Uz add-zsh-hook
  _tizona_ended() {
    print -n "\e]133;D;$?\a"
    [[ $PS1 == *133\;B* ]] || PS1+=$'%{\e]133;B\a%}'
  }
  _tizona_started() { print -n '\e]133;C\a' }
  add-zsh-hook precmd _tizona_ended
  add-zsh-hook preexec _tizona_started
fi
