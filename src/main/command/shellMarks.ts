import { randomBytes } from 'node:crypto'
import { basename, join } from 'node:path'
import type { Invocation } from './shellProgram.ts'

export interface MarkedShell {
  shell: Invocation
  environment: Record<string, string>
  /** See `JobInfo.marksCode`. */
  marksCode?: string
}

/**
 * Makes bash and zsh mark prompts, command lines and the start and end of their output with the escape sequences
 * `OSC 133` (FinalTerm) and `OSC 633 ; E` (VS Code). The shells read a start file of Tizona, and from it the user's own.
 * Other shells, and login shells of bash, are unchanged. A mark of a command line contains a secret, so that printed
 * text cannot pretend to be one.
 * @param resources folder of the installation that has the start files; absent: no shell is changed
 */
export function withShellMarks(
  shell: Invocation,
  environment: Record<string, string>,
  resources: string | undefined,
): MarkedShell {
  const name = basename(shell.file)
  const marksCode = randomBytes(16).toString('hex')
  const own: Record<string, string> = { ...environment, TIZONA_MARKS: marksCode }
  if (resources !== undefined && name === 'bash' && !shell.args.includes('-l')) {
    const args = ['--rcfile', join(resources, 'shell', 'bash', 'bashrc'), ...shell.args]
    return { shell: { ...shell, args }, environment: own, marksCode }
  }
  if (resources !== undefined && name === 'zsh') {
    const { ZDOTDIR: folder, ...others } = own
    const zsh = {
      ...others,
      // zsh reads .zshenv there first, which restores the user's folder.
      ZDOTDIR: join(resources, 'shell', 'zsh'),
      ...(folder !== undefined && { TIZONA_ZDOTDIR: folder }),
    }
    return { shell, environment: zsh, marksCode }
  }
  return { shell, environment }
}
