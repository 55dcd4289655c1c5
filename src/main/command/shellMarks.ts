import { basename } from 'node:path'

/**
 * Adds variables to the environment of the user's shell that make bash mark the start and end of a command's output,
 * with the escape sequences `OSC 133 ; C` and `OSC 133 ; D`. The window uses the marks to find the output of the last
 * command. Variables that the user set take precedence. Other shells are unchanged: fish has its own marks.
 * @param shell path of the shell
 */
export function withShellMarks(shell: string, environment: Record<string, string>): Record<string, string> {
  if (basename(shell) !== 'bash') return environment
  // bash prints PS0 before it runs a command, from version 4.4 on.
  return { PS0: String.raw`\e]133;C\a`, PROMPT_COMMAND: String.raw`printf '\033]133;D;%s\007' "$?"`, ...environment }
}
