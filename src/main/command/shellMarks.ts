import { basename, join } from 'node:path'

/** Ends a command's mark, and adds the mark after the prompt unless it is there. */
const bashPrompt = [
  String.raw`printf '\033]133;D;%s\007' "$?"`,
  String.raw`case $PS1 in *'133;B'*) ;; *) PS1=$PS1'\[\e]133;B\a\]' ;; esac`,
].join('; ')

/**
 * Adds variables to the environment of the user's shell that make bash and zsh mark the end of the prompt and the start
 * and end of a command's output, with the escape sequences `OSC 133 ; B`, `C` and `D`. The window finds commands and
 * their output by them. Variables that the user set take precedence. Other shells are unchanged: fish has its own marks.
 * @param shell path of the shell
 * @param resources folder of the installation that has the start file for zsh; absent: zsh is unchanged
 */
export function withShellMarks(
  shell: string,
  environment: Record<string, string>,
  resources?: string,
): Record<string, string> {
  switch (basename(shell)) {
    case 'bash':
      // bash prints PS0 before it runs a command, from version 4.4 on.
      return { PS0: String.raw`\e]133;C\a`, PROMPT_COMMAND: bashPrompt, ...environment }
    case 'zsh': {
      if (resources === undefined) return environment
      const { ZDOTDIR: own, ...others } = environment
      // zsh reads .zshenv there first, which restores the user's folder.
      const folder = join(resources, 'shell', 'zsh')
      return { ...others, ZDOTDIR: folder, ...(own !== undefined && { TIZONA_ZDOTDIR: own }) }
    }
    default:
      return environment
  }
}
