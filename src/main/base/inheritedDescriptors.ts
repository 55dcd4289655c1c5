import { accessSync, constants, existsSync } from 'node:fs'
import path from 'node:path'

/**
 * node-pty opens pseudo-terminals without FD_CLOEXEC (forkpty), so each program that is started later inherits them.
 * It could read the output of other jobs and keep their terminals open. Node cannot set the flag, so a shell closes
 * the descriptors before it executes the program.
 */

/** Returns a script that closes inherited descriptors. @param numbers `case` pattern of the descriptors to close */
export function closeInherited(numbers: string): string {
  const name = '_tizona_fd'
  return `for ${name} in /proc/self/fd/*; do ${name}=\${${name}##*/}; case $${name} in ${numbers}) eval "exec $${name}>&-";; esac; done; unset ${name}; `
}

/** Only bash accepts two digits in `exec 10>&-`. Other shells run the program `10`. */
export const allDescriptorsPattern = '[3-9]|[1-9]*[0-9]'
export const singleDigitDescriptorPattern = '[3-9]'

let hasOpenedTerminal = false

/** Records that a pseudo-terminal is about to be opened. */
export function recordTerminalOpening(): void {
  hasOpenedTerminal = true
}

interface InvocationOptions {
  cwd?: string | URL | undefined
  env?: NodeJS.ProcessEnv | undefined
  /** Number of descriptors from 3 on that stay open. Default: 0. */
  kept?: number
}

/**
 * Returns an invocation of a program that inherits no pseudo-terminals. Returns it unchanged before the first
 * terminal is opened, on systems that close them (macOS, Windows), and if the program does not exist.
 */
export function withoutTerminals(
  file: string,
  args: readonly string[],
  { cwd, env, kept = 0 }: InvocationOptions,
): { file: string; args: readonly string[] } {
  if (!hasOpenedTerminal || process.platform !== 'linux') return { file, args }
  const program = findSync(file, typeof cwd === 'string' ? cwd : process.cwd(), (env ?? process.env).PATH)
  if (program === undefined) return { file, args }
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((each) => existsSync(each))
  const singleDigits = `[${3 + kept}-9]`
  if (bash === undefined) {
    const script = closeInherited(singleDigits)
    return { file: '/bin/sh', args: ['-c', `${script}exec "$@"`, 'sh', program, ...args] }
  }
  const script = closeInherited(`${singleDigits}|[1-9]*[0-9]`)
  // -p ignores BASH_ENV and functions in the environment. Without --norc, bash reads ~/.bashrc if its standard input
  // is a socket, as Node's pipes are, and SHLVL is not set (run_startup_files in its shell.c).
  return { file: bash, args: ['--norc', '-p', '-c', `${script}exec "$@"`, 'bash', program, ...args] }
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
