import { basename, join } from 'node:path'
import type { Invocation } from './shellProgram.ts'

export interface MarkedShell {
  shell: Invocation
  environment: Record<string, string>
  /** Whether the shell marks commands. */
  marks: boolean
}

/**
 * Makes bash and zsh mark prompts, command lines and the start and end of their output with the escape sequences
 * `OSC 133` (FinalTerm) and `OSC 633 ; E` (VS Code). The shells read a start file of Tizona, and from it the user's own.
 * Other shells, and login shells of bash, are unchanged.
 * @param resources folder of the installation that has the start files
 * @param code secret that the marks of command lines contain, so that printed text cannot pretend to be one
 */
export function withShellMarks(
  shell: Invocation,
  environment: Record<string, string>,
  resources: string,
  code: string,
): MarkedShell {
  const name = basename(shell.file)
  const own: Record<string, string> = { ...environment, TIZONA_MARKS: code }
  if (name === 'bash' && !shell.args.includes('-l')) {
    const args = ['--rcfile', join(resources, 'shell', 'bash', 'bashrc'), ...shell.args]
    return { shell: { ...shell, args }, environment: own, marks: true }
  }
  if (name === 'zsh') {
    const { ZDOTDIR: folder, ...others } = own
    const zsh = {
      ...others,
      // zsh reads .zshenv there first, which restores the user's folder.
      ZDOTDIR: join(resources, 'shell', 'zsh'),
      ...(folder !== undefined && { TIZONA_ZDOTDIR: folder }),
    }
    return { shell, environment: zsh, marks: true }
  }
  return { shell, environment, marks: false }
}
