/** Where an import leads: a file of the workspace, or nothing that could be followed. */
export type ModuleFinder = (language: string, from: string, source: string) => string | null

const scriptEndings = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs']
/** What a compiled extension may be the name of, as TypeScript resolves it. */
const written: Readonly<Record<string, readonly string[]>> = { '.js': ['.ts', '.tsx', '.d.ts'], '.jsx': ['.tsx'], '.mjs': ['.mts', '.d.mts'], '.cjs': ['.cts', '.d.cts'] }

/**
 * Follows an import by the rules of its language, as far as they are certain without configuration: relative modules of
 * TypeScript and JavaScript, Python's packages from the importing file's top folder, Rust's modules inside a crate, Java's packages
 * inside a source folder, quoted includes, Ruby's `require_relative`, and what a shell script sources from beside it.
 * @param exists whether the workspace holds a file, by its relative path
 */
export function createModuleFinder(exists: (path: string) => boolean): ModuleFinder {
  const first = (candidates: readonly string[]): string | null => candidates.find((candidate) => exists(candidate)) ?? null
  return (language, from, source) => {
    switch (language) {
      case 'typescript':
      case 'tsx':
      case 'javascript':
        return first(scriptCandidates(from, source))
      case 'python':
        return first(pythonCandidates(from, source, exists))
      case 'rust':
        return first(rustCandidates(from, source))
      case 'java':
        return first(javaCandidates(from, source))
      case 'c':
      case 'cpp':
        return first(includeCandidates(from, source))
      case 'ruby':
        return first(besideCandidates(from, source).flatMap((file) => [`${file}.rb`, file]))
      case 'bash':
        return first(besideCandidates(from, source))
      default:
        return null
    }
  }
}

function scriptCandidates(from: string, source: string): string[] {
  if (!/^\.\.?(\/|$)/.test(source)) return []
  const target = join(folderOf(from), source.replace(/\?.*$/, ''))
  if (target === null) return []
  const ending = /\.[cm]?jsx?$/.exec(target)?.[0] ?? ''
  const replaced = (written[ending] ?? []).map((other) => target.slice(0, -ending.length) + other)
  const index = target === '' ? 'index' : `${target}/index`
  return [target, ...replaced, ...scriptEndings.map((other) => target + other), ...scriptEndings.map((other) => index + other)]
}

function pythonCandidates(from: string, source: string, exists: (path: string) => boolean): string[] {
  const dots = /^\.*/.exec(source)?.[0].length ?? 0
  const rest = source.slice(dots).split('.').filter((part) => part !== '').join('/')
  const files = (folder: string): string[] => {
    const base = [folder, rest].filter((part) => part !== '').join('/')
    return base === '' ? ['__init__.py'] : [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`, `${base}/__init__.pyi`]
  }
  if (dots > 0) {
    const folder = join(folderOf(from), '../'.repeat(dots - 1))
    return folder === null ? [] : files(folder)
  }
  // Absolute: a package's top folder, or the script's own, is what Python looks in; then the usual roots.
  let top = folderOf(from)
  while (top !== '' && exists(`${top}/__init__.py`)) top = folderOf(top)
  return [...new Set([top, '', 'src', 'lib'])].flatMap(files)
}

/** `crate::a::b` from the crate's `src`; `super` and `self` from the file's own module. */
function rustCandidates(from: string, source: string): string[] {
  const parts = source.split('::')
  const own = from.replace(/(\/mod)?\.rs$/, '')
  const root = /^(.*\/)?src\//.exec(from)?.[0].slice(0, -1) ?? folderOf(from)
  let base = parts[0] === 'crate' ? root : parts[0] === 'self' ? own : parts[0] === 'super' ? folderOf(own) : null
  if (base === null) return []
  let rest = parts.slice(1)
  for (; rest[0] === 'super'; rest = rest.slice(1)) base = folderOf(base)
  const module = [base, ...rest].filter((part) => part !== '').join('/')
  return rest.length === 0 ? [`${base}.rs`, `${base}/mod.rs`, `${base}/lib.rs`, `${base}/main.rs`] : [`${module}.rs`, `${module}/mod.rs`]
}

/** The importing file's own source folder is where its package begins, which is unknown: every folder above is tried. */
function javaCandidates(from: string, source: string): string[] {
  const file = `${source.replaceAll('.', '/')}.java`
  const candidates = [file]
  for (let folder = folderOf(from); folder !== ''; folder = folderOf(folder)) candidates.unshift(`${folder}/${file}`)
  return candidates
}

function includeCandidates(from: string, source: string): string[] {
  const name = /^"(.*)"$/.exec(source)?.[1]
  if (name === undefined) return []
  const beside = join(folderOf(from), name)
  return [...(beside === null ? [] : [beside]), name, `include/${name}`, `src/${name}`]
}

/** A file named from the folder of the one that names it. */
function besideCandidates(from: string, source: string): string[] {
  const beside = join(folderOf(from), source)
  return beside === null ? [] : [beside]
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf('/')
  return slash < 0 ? '' : path.slice(0, slash)
}

/** A relative path inside the workspace; null when it leads out of it. */
function join(folder: string, relative: string): string | null {
  const parts = folder === '' ? [] : folder.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  return parts.join('/')
}
