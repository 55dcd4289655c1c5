import { isBuiltin } from 'node:module'
import { membersOf, parseJsonc, stringsOf } from './jsonc.ts'
import { folderOf, childPath, joinInside, selfAndAncestors } from './workspacePaths.ts'
import type { ProjectFiles } from '../index/projectFiles.ts'
import { createTsConfigs } from './tsconfig.ts'

const sourceExtensions = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs']
/** What a compiled extension may be the name of, as TypeScript resolves it. */
const sourcesOfCompiled: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.d.ts'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts', '.d.mts'],
  '.cjs': ['.cts', '.d.cts'],
}
/** Fields of a package that name its own module, the source first: what is built is mostly not in the index. */
const entryFields = ['source', 'types', 'typings', 'module', 'main']
const dependencyFields = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']
const buildFolder = /^(?:dist|lib|build|out|es|esm|cjs)\//

/** Where modules of TypeScript and JavaScript are. */
export interface JavascriptModules {
  find(from: string, source: string): string | null
  /** Whether an import certainly leads out of the workspace. */
  isExternal(from: string, source: string): boolean
}

/**
 * Follows imports as Node and TypeScript do: relative ones, `paths` and `baseUrl` of the nearest tsconfig.json, `imports` of the
 * nearest package.json, and packages of the workspace by their name, through `exports` or `main`. What a package builds into `dist` is
 * looked for in its `src`, where it was written.
 */
export function createJavascriptModules(files: ProjectFiles): JavascriptModules {
  const read = files.createReader((text) => membersOf(parseJsonc(text)))
  const configs = createTsConfigs(files, packageOf)
  const first = (targets: readonly string[]): string | null => targets.flatMap(candidates).find(files.exists) ?? null

  const packages = files.cached(
    () => new Map(files.withSuffix('package.json').map((place) => [read(place)?.get('name'), folderOf(place)])),
  )

  /** The package of the workspace whose name a source begins with. */
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

/** `@scope/name` or `name`; null for what is no package's name, such as `./a`, `@/a` or `~/a`. */
function packageName(source: string): string | null {
  return /^(?:@[\w.~-]+\/)?[A-Za-z0-9_][\w.-]*(?=\/|$)/.exec(source)?.[0] ?? null
}

/** Files that a path without or with a compiled ending may mean. */
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

/** `dist/a.d.ts` was written as `src/a`, also where the ending says how it is built. */
function sourceOf(folder: string, target: string): string[] {
  const own = folder === '' ? target : target.slice(folder.length + 1)
  if (!buildFolder.test(own)) return []
  const stem = own.replace(buildFolder, '').replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '')
  return [childPath(folder, `src/${stem}`), childPath(folder, `src/${stem.replace(/^(?:esm|cjs|types)\//, '')}`)]
}

/** What `exports` or `imports` of a package.json give for a subpath, in the order written; any condition may be the one that holds. */
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
