import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import { allDescriptors, closeInherited, oneDigitDescriptors } from '../base/inheritedDescriptors.ts'

/** A program with its arguments, ready to be started. */
export interface Invocation {
  file: string
  args: string[]
}

/**
 * How a command line is run: by bash where there is one, else by `/bin/sh`, without rc files and not interactively. Not by
 * the user's login shell: models write bash, and the approval gate reads bash, so what was approved is what runs.
 *
 * The shell stays until its last command has ended. It would become that command (`bash -c 'touch x'`), and programs that close their
 * streams before they end (touch, rm, cp) leave a terminal that nobody holds: it is closed, and they are reported as hung up. The line sees
 * no parameters, as with `-c` alone.
 */
export async function shellInvocation(command: string, environment: Record<string, string>): Promise<Invocation> {
  if (process.platform === 'win32') {
    return { file: 'powershell.exe', args: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', command] }
  }
  return script('eval "shift;$1"; exit "$?"', [command], environment)
}

/**
 * A line for bash, or for `/bin/sh` where there is none, with parameters from $1 on. It first closes what it inherited: the pseudo-terminals
 * of other jobs are open in this process without FD_CLOEXEC (node-pty, forkpty), and with one of them a program could read what another
 * job writes, and keeps its terminal from ending.
 */
async function script(
  line: string,
  parameters: readonly string[],
  environment: Record<string, string>,
): Promise<Invocation> {
  const bash = await findOnPath('bash', environment.PATH)
  // macOS closes them itself (POSIX_SPAWN_CLOEXEC_DEFAULT).
  const closing =
    process.platform !== 'linux' ? '' : closeInherited(bash === undefined ? oneDigitDescriptors : allDescriptors)
  if (bash === undefined) return { file: '/bin/sh', args: ['-c', closing + line, 'sh', ...parameters] }
  return { file: bash, args: ['--noprofile', '--norc', '-c', closing + line, 'bash', ...parameters] }
}

/** The same for a program that runs without a shell of its own: its arguments reach it as they are. */
export async function attended({ file, args }: Invocation, environment: Record<string, string>): Promise<Invocation> {
  return process.platform === 'win32' ? { file, args } : script('"$@"; exit "$?"', [file, ...args], environment)
}

/** The same for a program that takes the launching shell's place: a terminal of the user's. */
export async function replacing({ file, args }: Invocation, environment: Record<string, string>): Promise<Invocation> {
  return process.platform === 'win32' ? { file, args } : script('exec "$@"', [file, ...args], environment)
}

/** The shell of the user's own terminals. */
export async function interactiveShell(environment: Record<string, string>): Promise<Invocation> {
  if (process.platform === 'win32') return { file: 'powershell.exe', args: ['-NoLogo'] }
  const own = environment.SHELL
  if (own !== undefined && isAbsolute(own) && (await isExecutable(own))) {
    // A window's app gets no login environment on macOS, so its terminals make it up, as Terminal.app does.
    return { file: own, args: process.platform === 'darwin' ? ['-l'] : [] }
  }
  return { file: (await findOnPath('bash', environment.PATH)) ?? '/bin/sh', args: [] }
}

/**
 * Finds a program as a shell would: a name on PATH, a path relative to `cwd`.
 * Throws `command_not_found` with the nearest name there is.
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
        ? `Make it executable, or name its interpreter as \`program\` and the file in \`args\`.`
        : 'A path is taken relative to `cwd`. Check it with list_dir or find_files, or give a bare name to look it up on PATH.',
    )
  }
  const found = await findOnPath(program, environment.PATH)
  if (found !== undefined) return found
  if (/\s/.test(program)) {
    throw new ToolError(
      'command_not_found',
      `\`${program}\` is not a program's name: \`program\` takes the name alone.`,
      'Put every argument into `args`, or give the whole line as `command`.',
    )
  }
  const near = await nearestOnPath(program, environment.PATH)
  throw new ToolError(
    'command_not_found',
    `The program \`${program}\` is not installed: it is in no folder of PATH.`,
    near.length > 0
      ? `Similar programs there are: ${near.join(', ')}.`
      : 'Install it, or use another program. A shell builtin or a whole line goes into `command`.',
  )
}

async function findOnPath(program: string, path = ''): Promise<string | undefined> {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat', '.com'] : ['']
  for (const folder of path.split(delimiter)) {
    // An empty or relative entry would mean the current folder: a program the workspace brings must be named by its path.
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
    return false // missing or not ours to run: both mean "not this one"
  }
}

/** Up to five program names within two typing errors, or that differ by a version only (`python` and `python3`). */
async function nearestOnPath(program: string, path = ''): Promise<string[]> {
  const names = new Set<string>()
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    // PATH often names folders that do not exist; they hold no suggestion.
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
  // No file name is longer, and the expression takes square time.
  return name
    .slice(0, 255)
    .toLowerCase()
    .replace(/[\d.]+$/, '')
}

/** Levenshtein's distance, or more than `limit` as soon as that is certain by length. */
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

/** A word as a POSIX shell reads it back, quoted only where it must be. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) && !/^\w+=/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A program and its arguments as the command line a person would type. */
export function commandLine(program: string, args: readonly string[]): string {
  return [program, ...args].map(quoteWord).join(' ')
}
