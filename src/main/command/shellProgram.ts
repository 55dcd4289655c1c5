import { quoteWord } from '../base/quoteWord.ts'
import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { allDescriptorsPattern, closeInherited, singleDigitDescriptorPattern } from '../base/inheritedDescriptors.ts'
import { findProgramByName } from '../base/programSearch.ts'

/** A program with its arguments. */
export interface Invocation {
  file: string
  args: string[]
}

/**
 * Returns the invocation for a command line: bash, or else `/bin/sh`, non-interactive and without rc files. Not the
 * user's login shell, because models write bash and the approval gate parses bash, so that the approved line is what
 * runs.
 *
 * The shell waits until its last command has exited. Otherwise it would become that command (`bash -c 'touch x'`), and
 * programs that close their streams before they exit (touch, rm, cp) would leave a terminal without a holder, which is
 * then closed and reported as a hangup. As with `-c` alone, the line has no parameters.
 */
export async function shellInvocation(command: string, environment: Record<string, string>): Promise<Invocation> {
  if (process.platform === 'win32') {
    return { file: 'powershell.exe', args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', command] }
  }
  return script('eval "shift;$1"; exit "$?"', [command], environment)
}

/**
 * Returns the invocation of a bash script, or of `/bin/sh` without bash, with parameters from $1 on. The script first
 * closes inherited descriptors; see inheritedDescriptors.ts.
 */
async function script(
  line: string,
  parameters: readonly string[],
  environment: Record<string, string>,
): Promise<Invocation> {
  const bash = findProgramByName('bash', environment.PATH ?? '')
  // macOS closes them itself (POSIX_SPAWN_CLOEXEC_DEFAULT).
  const closing =
    process.platform !== 'linux'
      ? ''
      : closeInherited(bash === undefined ? singleDigitDescriptorPattern : allDescriptorsPattern)
  if (bash === undefined) return { file: '/bin/sh', args: ['-c', closing + line, 'sh', ...parameters] }
  return { file: bash, args: ['--noprofile', '--norc', '-c', closing + line, 'bash', ...parameters] }
}

/**
 * Returns the invocation of a program whose arguments are passed unchanged. As in `shellInvocation`, a shell waits for
 * it.
 */
export async function programInvocation(
  { file, args }: Invocation,
  environment: Record<string, string>,
): Promise<Invocation> {
  return process.platform === 'win32' ? { file, args } : script('"$@"; exit "$?"', [file, ...args], environment)
}

/** Returns the invocation of a program for a user terminal. It replaces the launching shell. */
export async function terminalInvocation(
  { file, args }: Invocation,
  environment: Record<string, string>,
): Promise<Invocation> {
  return process.platform === 'win32' ? { file, args } : script('exec "$@"', [file, ...args], environment)
}

/** Returns the shell for the user's terminals. */
export async function interactiveShell(environment: Record<string, string>): Promise<Invocation> {
  if (process.platform === 'win32') return { file: 'powershell.exe', args: ['-NoLogo'] }
  const own = environment.SHELL
  if (own !== undefined && isAbsolute(own) && (await isExecutable(own))) {
    // macOS gives apps no login environment, so their terminals create it, as Terminal.app does.
    return { file: own, args: process.platform === 'darwin' ? ['-l'] : [] }
  }
  return { file: findProgramByName('bash', environment.PATH ?? '') ?? '/bin/sh', args: [] }
}

/**
 * Finds a program like a shell: a name on PATH, or a path relative to `cwd`.
 * @throws ToolError `command_not_found` with similar names
 */
export async function findProgram(program: string, cwd: string, environment: Record<string, string>): Promise<string> {
  if (program.includes('/') || (process.platform === 'win32' && program.includes('\\'))) {
    const path = resolve(cwd, program)
    if (await isExecutable(path)) return path
    const exists = await stat(path).then(
      () => true,
      () => false,
    )
    throw new ToolError(
      'command_not_found',
      exists ? `\`${program}\` is not an executable program.` : `There is no program at \`${program}\`.`,
      exists
        ? `Make it executable, or pass its interpreter as \`program\` and the file in \`args\`.`
        : 'A path is relative to `cwd`. Check it with list_dir or find_files, or use a name without a path to search PATH.',
    )
  }
  const found = await findOnPath(program, environment.PATH)
  if (found !== undefined) return found
  if (/\s/.test(program)) {
    throw new ToolError(
      'command_not_found',
      `\`${program}\` is more than the name of a program.`,
      'Put every argument into `args`, or use the whole line as `command`.',
    )
  }
  const near = await nearestOnPath(program, environment.PATH)
  throw new ToolError(
    'command_not_found',
    `The program \`${program}\` is not installed: no folder in PATH contains it.`,
    near.length > 0
      ? `Similar programs: ${near.join(', ')}.`
      : 'Install it, or use another program. Use `command` for a shell builtin or a whole line.',
  )
}

async function findOnPath(program: string, path = ''): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat', '.com'] : ['']
  for (const folder of path.split(delimiter)) {
    // Empty and relative entries would mean the working directory. Programs in the workspace need an explicit path.
    if (!isAbsolute(folder)) continue
    for (const ending of endings) {
      const candidate = join(folder, program + ending)
      if (await isExecutable(candidate)) return candidate
    }
  }
  return undefined
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false // missing or not executable
  }
}

/**
 * Returns up to five program names with at most two typos, or that differ only in the version (`python` and `python3`).
 */
async function nearestOnPath(program: string, path = ''): Promise<string[]> {
  const names = new Set<string>()
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    // Folders on PATH that do not exist provide no suggestions.
    for (const name of await readdir(folder).catch(() => [])) names.add(name)
  }
  const wanted = program.toLowerCase()
  const limit = wanted.length < 4 ? 1 : 2
  return [...names]
    .map((name) => ({
      name,
      far: withoutVersion(name) === withoutVersion(wanted) ? 0 : distance(name.toLowerCase(), wanted, limit),
    }))
    .filter(({ far }) => far <= limit)
    .toSorted((a, b) => a.far - b.far || a.name.length - b.name.length || a.name.localeCompare(b.name))
    .slice(0, 5)
    .map(({ name }) => name)
}

function withoutVersion(name: string): string {
  // Limited, because the expression takes quadratic time and no file name is longer.
  return name
    .slice(0, 255)
    .toLowerCase()
    .replace(/[\d.]+$/, '')
}

/** Returns the Levenshtein distance, or more than `limit` if the lengths already differ by more. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const line = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      line.push(Math.min(change, (previous[j] ?? 0) + 1, (line[j - 1] ?? 0) + 1))
    }
    previous = line
  }
  return previous[b.length] ?? limit + 1
}

/** Formats a program and its arguments as a command line. */
export function commandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoteWord).join(' ')
}
