import { isBuiltin } from 'node:module'
import { membersOf, parseJsonc, stringsOf, createTsConfigs } from './tsconfig.ts'
import { folderOf, childPath, joinInside, selfAndAncestors } from './workspacePaths.ts'
import type { ImportFiles } from '../index/importFiles.ts'

const sourceExtensions = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs']
/** Source extensions for an import with a compiled extension, as in TypeScript. */
const sourcesOfCompiled: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
}
/** Package fields that name its main module. Source files come first, since build output is rarely indexed. */
const entryFields = ['source', 'types', 'typings', 'module', 'main']
const dependencyFields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
const buildFolder = /^(?:dist|lib|build|out|es|esm|cjs)\//

/** Module resolution of TypeScript and JavaScript. */
export interface JavascriptModules {
  /** Returns the file that an import refers to; null if it cannot be resolved. */
  find(from: string, source: string): string | null
  /** Whether an import certainly refers to something outside the workspace. */
  isExternal(from: string, source: string): boolean
}

/**
 * Resolves imports like Node and TypeScript: relative paths, `paths` and `baseUrl` of the nearest tsconfig.json,
 * `imports` of the nearest package.json, and workspace packages by name through `exports` or `main`. For build output
 * in `dist`, returns the source file in `src`.
 */
export function createJavascriptModules(files: ImportFiles): JavascriptModules {
  const read = files.createReader((text) => membersOf(parseJsonc(text)))
  const configs = createTsConfigs(files, packageOf)
  const first = (targets: readonly string[]): string | null => targets.flatMap(candidates).find(files.exists) ?? null

  const packages = files.cached(
    () => new Map(files.withSuffix('package.json').map((place) => [read(place)?.get('name'), folderOf(place)])),
  )

  /** Returns the workspace package at the start of a module specifier. */
  function packageOf(source: string): { folder: string; rest: string } | null {
    const name = packageName(source)
    const folder = name === null ? undefined : packages().get(name)
    return name === null || folder === undefined ? null : { folder, rest: source.slice(name.length + 1) }
  }

  function inPackage(folder: string, rest: string): string | null {
    const manifest = read(childPath(folder, 'package.json'))
    const exported = manifest?.get('exports')
    const entries = rest === '' ? entryFields.flatMap((field) => stringsOf(manifest?.get(field))) : [rest]
    const named = exported === undefined ? entries : mapSubpath(exported, rest === '' ? '.' : `./${rest}`)
    const targets = [...named, ...(rest === '' && exported === undefined ? ['index'] : [])].flatMap(
      (target) => joinInside(folder, target) ?? [],
    )
    const sources = targets.flatMap((target) => sourceOf(folder, target))
    return first(targets) ?? first(rest === '' ? [...sources, childPath(folder, 'src/index')] : sources)
  }

  return {
    find(from, source) {
      const folder = folderOf(from)
      if (/^\.\.?(\/|$)/.test(source))
        return first([joinInside(folder, source.replace(/\?.*$/, ''))].filter((target) => target !== null))
      if (source.startsWith('#')) {
        const place = selfAndAncestors(folder).find((above) => files.exists(childPath(above, 'package.json')))
        const own = place === undefined ? null : read(childPath(place, 'package.json'))
        return place === undefined
          ? null
          : first(mapSubpath(own?.get('imports'), source).flatMap((target) => joinInside(place, target) ?? []))
      }
      const configured = first(configs.targets(from, source))
      const found = configured === null ? packageOf(source) : null
      return found ? inPackage(found.folder, found.rest) : configured
    },
    isExternal(from, source) {
      if (isBuiltin(source)) return true
      const name = packageName(source)
      if (name === null || packageOf(source)) return false
      const manifests = selfAndAncestors(folderOf(from)).map((folder) => read(childPath(folder, 'package.json')))
      return manifests.some((manifest) => dependencyFields.some((field) => membersOf(manifest?.get(field)).has(name)))
    },
  }
}

/** Returns `@scope/name` or `name`; null for specifiers such as `./a`, `@/a` or `~/a`. */
function packageName(source: string): string | null {
  return /^(?:@[\w.~-]+\/)?[A-Za-z0-9_][\w.-]*(?=\/|$)/.exec(source)?.[0] ?? null
}

/** Returns the files that a path without extension, or with a compiled one, can refer to. */
function candidates(target: string): string[] {
  const ending = /\.[cm]?jsx?$/.exec(target)?.[0] ?? ''
  const replaced = (sourcesOfCompiled[ending] ?? []).map((other) => target.slice(0, -ending.length) + other)
  return [
    target,
    ...replaced,
    ...sourceExtensions.map((other) => target + other),
    ...sourceExtensions.map((other) => childPath(target, `index${other}`)),
  ]
}

/** Maps build output to source paths: `dist/a.d.ts` to `src/a`. */
function sourceOf(folder: string, target: string): string[] {
  const own = folder === '' ? target : target.slice(folder.length + 1)
  if (!buildFolder.test(own)) return []
  const stem = own.replace(buildFolder, '').replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '')
  return [childPath(folder, `src/${stem}`), childPath(folder, `src/${stem.replace(/^(?:esm|cjs|types)\//, '')}`)]
}

/** Returns the targets of a subpath in `exports` or `imports` of a package.json, in order, under any condition. */
function mapSubpath(map: unknown, subpath: string): string[] {
  const entries = membersOf(map)
  const paths = [...entries].filter(([key]) => /^[.#]/.test(key))
  if (paths.length === 0) return subpath === '.' ? stringLeaves(map) : []
  const exact = entries.get(subpath)
  if (exact !== undefined) return stringLeaves(exact)
  const patterns = paths.toSorted(([a], [b]) => b.length - a.length)
  for (const [pattern, target] of patterns) {
    const [before = '', after] = pattern.split('*')
    if (
      after === undefined ||
      !subpath.startsWith(before) ||
      !subpath.endsWith(after) ||
      subpath.length < before.length + after.length
    )
      continue
    const middle = subpath.slice(before.length, subpath.length - after.length)
    return stringLeaves(target).map((leaf) => leaf.replaceAll('*', () => middle))
  }
  return []
}

function stringLeaves(target: unknown): string[] {
  if (typeof target === 'string') return [target]
  return [...(Array.isArray(target) ? target : membersOf(target).values())].flatMap(stringLeaves)
}
