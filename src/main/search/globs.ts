import { ToolError } from '../../shared/errors.ts'
import { compileGlob, expandBraces } from '../base/glob.ts'

/** Folders of installed dependencies. Searches exclude them unless requested, even if they are not ignored. */
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
 * Folders that listings do not enter: dependencies, build output and tool caches. Contains the names of the reference
 * implementation (get_workspace_structure) and the dependency folders missing there.
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

/** ripgrep flags that exclude installed dependencies at any depth, except below an explicit search path. */
export const withoutDependencies: readonly string[] = [...dependencyFolders].flatMap((name) => ['--glob', `!${name}/`])

const maxGlobLength = 1000

/** Include and exclude globs for paths relative to the workspace. */
export interface GlobFilter {
  matches(path: string): boolean
  /** The same globs as lines of an ignore file, so that ripgrep does not open excluded files. */
  ignoreLines: string[]
  /** The same globs as `--glob` values, for runs without ignore rules. */
  globFlags: string[]
  /** Whether a glob explicitly includes hidden files or folders. */
  hidden: boolean
}

/**
 * Checks that a glob is valid: not empty, no unclosed `[` or `{`, no trailing backslash, no `..`.
 * @throws ToolError `invalid_pattern`
 */
export function checkGlob(glob: string): void {
  const bad = (reason: string, next: string): never => refuse(glob, reason, next)
  if (glob.trim() === '') bad('It is empty.', 'Pass a glob such as "**/*.ts".')
  if (glob.includes('\0')) bad('It contains a NUL character.', 'Remove it.')
  if (glob.length > maxGlobLength) bad(`It is longer than ${maxGlobLength} characters.`, 'Use a shorter one.')
  const open = unclosed(glob)
  if (open === '\\')
    bad(
      'It ends with a backslash that escapes nothing.',
      'Use / as the separator. A backslash escapes the next character.',
    )
  if (open !== '') bad(`Its "${open}" is not closed.`, `Close it, or write "\\${open}" to mean the character itself.`)
  for (const segment of glob.split('/')) {
    if (segment === '..') bad('It contains "..".', 'Set "path" to the folder to search.')
  }
  if (expandBraces(glob) === undefined)
    bad('Its braces expand to more than 256 patterns.', 'Use fewer choices, or several globs.')
}

function refuse(glob: string, reason: string, next: string): never {
  throw new ToolError('invalid_pattern', `The glob ${JSON.stringify(glob.slice(0, 200))} is not valid. ${reason}`, next)
}

/** Returns the unclosed bracket or brace or the trailing backslash, or ''. */
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
      // A `]` directly after `[`, `[!` or `[^` is a member of the class.
      let from = i + 1
      if (glob[from] === '!' || glob[from] === '^') from++
      const end = glob.indexOf(']', from + 1)
      if (end < 0) return '['
      i = end
    }
  }
  return braces > 0 ? '{' : ''
}

/**
 * Converts a glob to one for whole paths: without `/` it matches at any depth, a leading `/` anchors it, `x/` means
 * everything in x.
 */
function wholePathGlob(glob: string): string {
  let whole = glob.trim().replace(/^(?:\.\/)+/, '')
  if (whole.endsWith('/')) whole += '**'
  if (whole.startsWith('/')) return whole.replace(/^\/+/, '')
  return whole.replace(/\/\*\*$/, '').includes('/') || whole.startsWith('**/') ? whole : `**/${whole}`
}

/** Returns a glob that treats brackets and braces as literal characters. */
function literalGlob(glob: string): string {
  return glob.replaceAll(/(?<!\\)[[\]{}]/g, '\\$&')
}

/**
 * Returns the globs that a glob can mean: itself; with literal brackets and braces, as in `app/[id]/page.tsx`; and, if
 * it is a bare word such as `rs`, every file with this extension.
 */
function meaningsOf(glob: string): string[] {
  const literal = literalGlob(glob)
  const extension = /^\.?([a-z0-9+]{1,10})$/i.exec(glob.trim())?.[1]
  return [glob, ...(literal === glob ? [] : [literal]), ...(extension === undefined ? [] : [`*.${extension}`])]
}

/** Whether a glob explicitly includes a hidden file or folder, such as `.github/**`. */
export function includesHidden(glob: string): boolean {
  return /(?:^|[/{,])\.[^/.,}]/.test(glob)
}

/**
 * Compiles a glob for relative paths with `/` separators to a linear-time test. `*` does not match `/`, and wildcards
 * do not match a leading dot. Supports braces and classes; extended globs are literal.
 * @throws ToolError `invalid_pattern`
 */
export function compileGlobMatcher(
  glob: string,
  { caseSensitive }: { caseSensitive: boolean },
): (path: string) => boolean {
  checkGlob(glob)
  const literal = literalGlob(glob)
  const [test, literalTest] = [glob, literal].map(
    (one) =>
      compileGlob(wholePathGlob(one.normalize('NFC')), { caseSensitive, dot: false }) ??
      refuse(glob, 'Its braces expand to too many patterns.', 'Use fewer choices, or several globs.'),
  )
  return (path) => {
    const composed = path.normalize('NFC')
    return test?.(composed) === true || (literal !== glob && literalTest?.(composed) === true)
  }
}

/**
 * Compiles globs such as `*.ts`, `src/**` or `!*.test.ts` to a filter; undefined for an empty list. A glob also matches
 * everything inside a folder with a matching name.
 * @throws ToolError `invalid_pattern`
 */
export function globFilter(globs: readonly string[]): GlobFilter | undefined {
  const included: string[] = []
  const excluded: string[] = []
  for (const glob of globs) {
    const trimmed = glob.trim()
    const target = trimmed.startsWith('!') ? excluded : included
    const plain = trimmed.replace(/^!/, '')
    checkGlob(plain)
    // An exclusion means exactly what it says.
    const meanings = target === excluded ? [plain, literalGlob(plain)] : meaningsOf(plain)
    // ripgrep compares names byte by byte.
    const forms = meanings.flatMap((meaning) => [meaning, meaning.normalize('NFC'), meaning.normalize('NFD')])
    for (const meaning of new Set(forms)) {
      const whole = wholePathGlob(meaning)
      target.push(whole)
      if (!whole.endsWith('/**')) target.push(`${whole}/**`)
    }
  }
  if (included.length + excluded.length === 0) return undefined
  const includes = included.map(exactTest)
  const excludes = excluded.map(exactTest)
  const hidden = included.some(includesHidden)
  // ripgrep is not given globs that it would interpret differently, so it may open files that `matches` excludes.
  const [ripgrepIncludes, ripgrepExcludes] = [
    included.some(hasNamedClass) ? [] : included,
    excluded.filter((glob) => !hasNamedClass(glob)),
  ]
  return {
    matches: (path) =>
      (includes.length === 0 || includes.some((test) => test(path))) && !excludes.some((test) => test(path)),
    // The last matching line takes precedence. Folders are included so that ripgrep searches inside them.
    ignoreLines: [
      ...(ripgrepIncludes.length > 0 ? ['*', '!*/', ...ripgrepIncludes.map((glob) => `!/${glob}`)] : []),
      ...ripgrepExcludes.map((glob) => `/${glob}`),
      ...(hidden ? [] : ['.*']),
    ],
    globFlags: [...ripgrepIncludes.map((glob) => `/${glob}`), ...ripgrepExcludes.map((glob) => `!/${glob}`)],
    hidden,
  }
}

/** Whether a glob contains a class such as `[[:alpha:]]`, which ripgrep does not support. */
const hasNamedClass = (glob: string): boolean => glob.includes('[:')

const exactTest = (glob: string): ((path: string) => boolean) => compileGlobMatcher(`/${glob}`, { caseSensitive: true })

/** Splits a comma-separated list of globs. Commas inside braces do not split. */
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
