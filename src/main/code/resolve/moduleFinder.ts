import { folderOf, childPath, joinInside, selfAndAncestors } from './workspacePaths.ts'
import type { ImportFiles } from '../index/importFiles.ts'
import { createJavascriptModules } from './javascriptModules.ts'

/** Resolves imports. */
export interface ModuleFinder {
  /**
   * Returns a file of the workspace, or a folder with a trailing `/` if folders are modules (Go, Swift); null if the
   * import cannot be resolved.
   */
  (language: string, from: string, source: string): string | null
  /**
   * Whether an import certainly refers to something outside the workspace, so that a symbol with the same name is
   * unrelated.
   */
  isExternal(language: string, from: string, source: string): boolean
}

/** Folders of a Python project that contain its packages. */
const pythonSources = ['', 'src', 'lib', 'python']

/**
 * Resolves imports by the rules of each language, where they are unambiguous: TypeScript and JavaScript
 * (javascriptModules.ts), Python packages from the importing file's top folder and from the source folders of every
 * project, Rust modules inside a crate, Go packages by the module path in go.mod, Java packages, Swift modules below
 * `Sources`, quoted includes, Ruby's `require_relative`, and relative sources of shell scripts.
 */
export function createModuleFinder(files: ImportFiles): ModuleFinder {
  const { exists } = files
  const scripts = createJavascriptModules(files)
  const goModule = files.createReader((text) => /^module\s+"?([^\s"]+)/m.exec(text)?.[1] ?? null)
  const first = (candidates: readonly string[]): string | null =>
    candidates.find((candidate) => exists(candidate)) ?? null

  /** Folders that contain a Python project. */
  const pythonRoots = files.cached(() => {
    const projects = ['pyproject.toml', 'setup.py', 'setup.cfg']
      .flatMap((manifest) => files.withSuffix(manifest))
      .map(folderOf)
    return [...new Set(projects)].flatMap((project) =>
      pythonSources.map((folder) => childPath(project, folder).replace(/\/$/, '')),
    )
  })
  const goModules = files.cached(() =>
    files.withSuffix('go.mod').flatMap((place) => {
      const name = goModule(place)
      return name === null ? [] : [{ name, folder: folderOf(place) }]
    }),
  )

  function goFolder(source: string): string | null {
    const found = goModules()
      .filter(({ name }) => source === name || source.startsWith(`${name}/`))
      .toSorted((a, b) => b.name.length - a.name.length)[0]
    const folder = found ? joinInside(found.folder, source.slice(found.name.length)) : null
    return folder !== null && (folder === '' || files.containsFiles(folder)) ? `${folder}/` : null
  }

  /** Returns the module's folder in the nearest `Sources` folder above the importing file. */
  function swiftFolder(from: string, source: string): string | null {
    const near = selfAndAncestors(folderOf(from))
      .map((folder) => childPath(folder, `Sources/${source}`))
      .find(files.containsFiles)
    return near === undefined ? null : `${near}/`
  }

  const find = (language: string, from: string, source: string): string | null => {
    switch (language) {
      case 'typescript':
      case 'tsx':
      case 'javascript':
      case 'vue':
      case 'svelte':
        return scripts.find(from, source)
      case 'python':
        return first(pythonCandidates(from, source, exists, pythonRoots()))
      case 'rust':
        return first(rustCandidates(from, source))
      case 'go':
        return goFolder(source)
      case 'swift':
        return swiftFolder(from, source)
      case 'java':
        return first(javaCandidates(from, source)) ?? single(files.withSuffix(`${source.replaceAll('.', '/')}.java`))
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

  const isExternal = (language: string, from: string, source: string): boolean => {
    switch (language) {
      case 'typescript':
      case 'tsx':
      case 'javascript':
      case 'vue':
      case 'svelte':
        return scripts.isExternal(from, source)
      case 'python': {
        const [top = ''] = source.split('.')
        return (
          top !== '' &&
          ['.py', '.pyi', '/__init__.py', '/__init__.pyi'].every(
            (ending) => files.withSuffix(top + ending).length === 0,
          )
        )
      }
      case 'go':
        return goModules().length > 0 && goModules().every(({ name }) => !`${source}/`.startsWith(`${name}/`))
      case 'java': {
        const parts = source.split('.')
        return [parts, parts.slice(0, -1)].every((name) => files.withSuffix(`${name.join('/')}.java`).length === 0)
      }
      default:
        return false
    }
  }

  return Object.assign(find, { isExternal })
}

const single = (found: readonly string[]): string | null => (found.length === 1 ? (found[0] ?? null) : null)

function pythonCandidates(
  from: string,
  source: string,
  exists: (path: string) => boolean,
  roots: readonly string[],
): string[] {
  const dots = /^\.*/.exec(source)?.[0].length ?? 0
  const rest = source
    .slice(dots)
    .split('.')
    .filter((part) => part !== '')
    .join('/')
  const files = (folder: string): string[] => {
    const base = [folder, rest].filter((part) => part !== '').join('/')
    return base === '' ? ['__init__.py'] : [`${base}.py`, `${base}/__init__.py`, `${base}.pyi`, `${base}/__init__.pyi`]
  }
  if (dots > 0) {
    const folder = joinInside(folderOf(from), '../../'.repeat(dots - 1))
    return folder === null ? [] : files(folder)
  }
  // Python searches the top folder of the package, or the folder of the script, then the usual roots.
  let top = folderOf(from)
  while (top !== '' && exists(`${top}/__init__.py`)) top = folderOf(top)
  return [...new Set([top, '', 'src', 'lib', ...roots])].flatMap(files)
}

/** Resolves `crate::a::b` from the crate's `src`, and `super` and `self` from the file's module. */
function rustCandidates(from: string, source: string): string[] {
  const parts = source.split('::')
  const own = from.replace(/(\/mod)?\.rs$/, '')
  const root = /^(.*\/)?src\//.exec(from)?.[0].slice(0, -1) ?? folderOf(from)
  let base = parts[0] === 'crate' ? root : parts[0] === 'self' ? own : parts[0] === 'super' ? folderOf(own) : null
  if (base === null) return []
  let rest = parts.slice(1)
  for (; rest[0] === 'super'; rest = rest.slice(1)) base = folderOf(base)
  const module = [base, ...rest].filter((part) => part !== '').join('/')
  return rest.length === 0
    ? [`${base}.rs`, `${base}/mod.rs`, `${base}/lib.rs`, `${base}/main.rs`]
    : [`${module}.rs`, `${module}/mod.rs`]
}

/** The root of the package is unknown, so every ancestor folder is tried. */
function javaCandidates(from: string, source: string): string[] {
  const file = `${source.replaceAll('.', '/')}.java`
  const candidates = [file]
  for (let folder = folderOf(from); folder !== ''; folder = folderOf(folder)) candidates.unshift(`${folder}/${file}`)
  return candidates
}

function includeCandidates(from: string, source: string): string[] {
  const name = /^"(.*)"$/.exec(source)?.[1]
  if (name === undefined) return []
  const beside = joinInside(folderOf(from), name)
  return [...(beside === null ? [] : [beside]), name, `include/${name}`, `src/${name}`]
}

/** Resolves a path relative to the importing file. */
function besideCandidates(from: string, source: string): string[] {
  const beside = joinInside(folderOf(from), source)
  return beside === null ? [] : [beside]
}
