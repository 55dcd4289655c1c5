import { ToolError } from '../../shared/errors.ts'
import { compileGlob, expandBraces } from '../base/glob.ts'

/** Folders of installed dependencies: left out of searches unless asked for, ignored or not. */
export const dependencyFolders: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'jspm_packages',
  'vendor',
  'venv',
  'virtualenv',
  'site-packages',
  '__pypackages__',
  'Pods',
  'Carthage',
])

/**
 * Folders a listing does not look into: dependencies and what builds and tools leave behind. The names of the reference
 * (get_workspace_structure) and the dependency folders it lacks.
 */
export const heavyFolders: ReadonlySet<string> = new Set([
  ...dependencyFolders,
  '__pycache__',
  'target',
  'dist',
  'build',
  'tmp',
  'cache',
  'coverage',
  'logs',
  'obj',
  'bin',
])

/** ripgrep's flags that leave installed dependencies out wherever they lie, except below a path that is named itself. */
export const withoutDependencies: readonly string[] = [...dependencyFolders].flatMap((name) => ['--glob', `!${name}/`])

const maxGlobLength = 1000

/** A set of include and exclude globs over paths relative to the workspace. */
export interface GlobFilter {
  matches(path: string): boolean
  /** The same globs as lines of an ignore file for ripgrep, which then never opens what they leave out. */
  ignoreLines: string[]
  /** The same as `--glob` values, for runs that honour no ignore rules. */
  globFlags: string[]
  /** A glob names a hidden file or folder outright, so hidden ones have to be looked at. */
  hidden: boolean
}

/**
 * Refuses a glob that cannot mean anything: empty, an open `[` or `{`, a lone backslash at the end, `..`.
 * Throws `invalid_pattern`.
 */
export function checkGlob(glob: string): void {
  const bad = (why: string, next: string): never => refuse(glob, why, next)
  if (glob.trim() === '') bad('it is empty', 'Give a glob, for example "**/*.ts".')
  if (glob.includes('\0')) bad('it holds a NUL character', 'Remove it.')
  if (glob.length > maxGlobLength) bad(`it is longer than ${maxGlobLength} characters`, 'Use a shorter one.')
  const open = unclosed(glob)
  if (open === '\\')
    bad(
      'it ends with a backslash that escapes nothing',
      'Write / between folders; a backslash only escapes the next character.',
    )
  if (open !== '') bad(`"${open}" is never closed`, `Close it, or write "\\${open}" to mean the character itself.`)
  for (const segment of glob.split('/')) {
    if (segment === '..') bad('".." would leave the folder', 'Name the folder to search in "path" instead.')
  }
  if (expandBraces(glob) === undefined)
    bad('its braces stand for more than 256 patterns', 'Use fewer choices, or several globs.')
}

function refuse(glob: string, why: string, next: string): never {
  throw new ToolError('invalid_pattern', `The glob ${JSON.stringify(glob.slice(0, 200))} is not valid: ${why}.`, next)
}

/** The bracket, brace or backslash that is left open, or ''. */
function unclosed(glob: string): '[' | '{' | '\\' | '' {
  let braces = 0
  for (let i = 0; i < glob.length; i++) {
    const char = glob[i]
    if (char === '\\') {
      i++
      if (i === glob.length) return '\\'
    } else if (char === '{') braces++
    else if (char === '}') braces = Math.max(0, braces - 1)
    else if (char === '[') {
      // A `]` right after `[`, `[!` or `[^` is a member of the class.
      let from = i + 1
      if (glob[from] === '!' || glob[from] === '^') from++
      const end = glob.indexOf(']', from + 1)
      if (end < 0) return '['
      i = end
    }
  }
  return braces > 0 ? '{' : ''
}

/** A glob as one over whole relative paths: without a `/` it matches in any folder, a leading `/` ties it to the base, `x/` means all of x. */
export function wholePathGlob(glob: string): string {
  let whole = glob.trim().replace(/^(?:\.\/)+/, '')
  if (whole.endsWith('/')) whole += '**'
  if (whole.startsWith('/')) return whole.replace(/^\/+/, '')
  return whole.replace(/\/\*\*$/, '').includes('/') || whole.startsWith('**/') ? whole : `**/${whole}`
}

/** Whether a glob names a hidden file or folder outright, such as `.github/**`. */
export function namesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^/.,}]/.test(glob)
}

/**
 * A glob over relative paths, `/` separated, as a test that takes linear time. `*` does not cross `/`; braces and classes work,
 * extended globs are plain text. Wildcards match no leading dot. Throws `invalid_pattern`.
 */
export function globTest(glob: string, { caseSensitive }: { caseSensitive: boolean }): (path: string) => boolean {
  checkGlob(glob)
  return (
    compileGlob(wholePathGlob(glob), { caseSensitive, dot: false }) ??
    refuse(glob, 'its braces stand for too many patterns', 'Use fewer choices, or several globs.')
  )
}

/**
 * Globs such as `*.ts`, `src/**` or `!*.test.ts` as a filter; undefined when there are none. A glob also takes what is
 * inside a folder of that name. Throws `invalid_pattern`.
 */
export function globFilter(globs: readonly string[]): GlobFilter | undefined {
  const included: string[] = []
  const excluded: string[] = []
  for (const glob of globs) {
    const trimmed = glob.trim()
    const target = trimmed.startsWith('!') ? excluded : included
    const plain = trimmed.replace(/^!/, '')
    checkGlob(plain)
    const whole = wholePathGlob(plain)
    target.push(whole)
    if (!whole.endsWith('/**')) target.push(`${whole}/**`)
  }
  if (included.length + excluded.length === 0) return undefined
  const includes = included.map(exactTest)
  const excludes = excluded.map(exactTest)
  const hidden = included.some(namesHidden)
  // What ripgrep would read otherwise is left to `matches`: then it opens more files than it needs to.
  const [shownIncludes, shownExcludes] = [
    included.some(hasNamedClass) ? [] : included,
    excluded.filter((glob) => !hasNamedClass(glob)),
  ]
  return {
    matches: (path) =>
      (includes.length === 0 || includes.some((test) => test(path))) && !excludes.some((test) => test(path)),
    // The last line that fits decides. Folders stay open so that what lies in them is reached at all; hidden ones stay shut.
    ignoreLines: [
      ...(shownIncludes.length > 0 ? ['*', '!*/', ...shownIncludes.map((glob) => `!/${glob}`)] : []),
      ...shownExcludes.map((glob) => `/${glob}`),
      ...(hidden ? [] : ['.*']),
    ],
    globFlags: [...shownIncludes.map((glob) => `/${glob}`), ...shownExcludes.map((glob) => `!/${glob}`)],
    hidden,
  }
}

/** Classes such as `[[:alpha:]]`, which ripgrep does not know. */
const hasNamedClass = (glob: string): boolean => glob.includes('[:')

const exactTest = (glob: string): ((path: string) => boolean) => globTest(`/${glob}`, { caseSensitive: true })

/** The pieces of a comma separated list of globs; commas inside braces belong to the glob. */
export function splitGlobs(list: string): string[] {
  const globs: string[] = []
  let depth = 0
  let start = 0
  for (let i = 0; i <= list.length; i++) {
    const char = list[i]
    if (char === '{') depth++
    else if (char === '}') depth--
    else if (i === list.length || (char === ',' && depth <= 0)) {
      globs.push(list.slice(start, i).trim())
      start = i + 1
    }
  }
  return globs.filter((glob) => glob !== '')
}
