import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'

/**
 * Pseudo-terminals have no FD_CLOEXEC flag in this process (node-pty, forkpty), so each started program inherits those
 * of all jobs. A program could then read the output of other jobs and keep their terminals open. Node cannot set the
 * flag, so a shell closes them before it executes the program.
 */

/** Returns a script that closes inherited descriptors. @param numbers `case` pattern of the descriptors */
export function closeInherited(numbers: string): string {
  const name = '_tizona_fd'
  return `for ${name} in /proc/self/fd/*; do ${name}=\${${name}##*/}; case $${name} in ${numbers}) eval "exec $${name}>&-";; esac; done; unset ${name}; `
}

/** Only bash accepts two digits in `exec 10>&-`. Other shells run the program `10`. */
export const allDescriptorsPattern = '[3-9]|[1-9]*[0-9]'
export const singleDigitDescriptorPattern = '[3-9]'

let terminals = false

/** Records that a pseudo-terminal is about to be opened. */
export function terminalOpens(): void {
  terminals = true
}

/**
 * Returns the invocation of a program that inherits no pseudo-terminals. It is unchanged before the first terminal, on
 * systems that close them (macOS, Windows), and if the program is not found, which the start then reports.
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
  // -p: ignores BASH_ENV and functions of the environment.
  if (bash !== undefined)
    return {
      file: bash,
      args: ['-p', '-c', `${closeInherited(allDescriptorsPattern)}exec "$@"`, 'bash', program, ...args],
    }
  return {
    file: '/bin/sh',
    args: ['-c', `${closeInherited(singleDigitDescriptorPattern)}exec "$@"`, 'sh', program, ...args],
  }
}

/** Finds a program as execvp(3) does. */
function findSync(file: string, cwd: string, searched = '/usr/local/bin:/bin:/usr/bin'): string | undefined {
  const folders = file.includes('/') ? [''] : searched.split(':')
  return folders
    .map((folder) => path.resolve(cwd, folder, file))
    .find((candidate) => {
      try {
        accessSync(candidate, constants.X_OK)
        return true
      } catch {
        return false // missing or not executable
      }
    })
}
