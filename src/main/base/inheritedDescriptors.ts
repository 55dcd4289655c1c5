import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'

/**
 * Pseudo-terminals are open in this process without FD_CLOEXEC (node-pty, forkpty): each program that is started inherits those of all jobs.
 * With one of them it could read what a job writes, and it keeps the job's terminal from ending. Node cannot set the flag, so a shell closes
 * them before it becomes the program.
 */

/** Script that closes what a shell inherited. @param numbers pattern of the descriptors, for `case` */
export function closeInherited(numbers: string): string {
  const name = '_tizona_fd'
  return `for ${name} in /proc/self/fd/*; do ${name}=\${${name}##*/}; case $${name} in ${numbers}) eval "exec $${name}>&-";; esac; done; unset ${name}; `
}

/** Only bash reads a number of two digits in `exec 10>&-`; for other shells it is the program `10`. */
export const allDescriptors = '[3-9]|[1-9]*[0-9]'
export const oneDigitDescriptors = '[3-9]'

let terminals = false

/** A pseudo-terminal is about to be opened. */
export function terminalOpens(): void {
  terminals = true
}

/**
 * How a program is started so that it inherits no pseudo-terminal: as it is while there was none, on systems that close them (macOS, Windows),
 * and where the program is not found, which the start then reports.
 */
export function withoutTerminals(
  file: string,
  args: readonly string[],
  { cwd, env }: { cwd?: string | URL | undefined; env?: NodeJS.ProcessEnv | undefined },
): { file: string; args: readonly string[] } {
  if (!terminals || process.platform !== 'linux') return { file, args }
  const program = findSync(file, typeof cwd === 'string' ? cwd : process.cwd(), (env ?? process.env).PATH)
  if (program === undefined) return { file, args }
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((each) => existsSync(each))
  // -p: neither BASH_ENV nor functions of the environment.
  if (bash !== undefined)
    return { file: bash, args: ['-p', '-c', `${closeInherited(allDescriptors)}exec "$@"`, 'bash', program, ...args] }
  return { file: '/bin/sh', args: ['-c', `${closeInherited(oneDigitDescriptors)}exec "$@"`, 'sh', program, ...args] }
}

/** As execvp(3) finds it. */
function findSync(file: string, cwd: string, searched = '/usr/local/bin:/bin:/usr/bin'): string | undefined {
  const folders = file.includes('/') ? [''] : searched.split(':')
  return folders
    .map((folder) => path.resolve(cwd, folder, file))
    .find((candidate) => {
      try {
        accessSync(candidate, constants.X_OK)
        return true
      } catch {
        return false // missing or not ours to run: both mean "not this one"
      }
    })
}
