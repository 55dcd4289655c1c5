import type { ImportFiles } from '../index/importFiles.ts'
import { folderOf, childPath, joinInside, selfAndAncestors } from './workspacePaths.ts'

/** Resolves non-relative imports through tsconfig.json or jsconfig.json. */
export interface TsConfigs {
  /** Returns possible paths of an import without extension, best first; empty if no configuration maps it. */
  targets(from: string, source: string): string[]
}

interface Mapping {
  baseUrl: string | null
  /** Patterns with at most one `*`, mapped to paths inside the workspace. */
  paths: readonly (readonly [pattern: string, targets: readonly string[]])[]
}

/** Maximum depth of configurations that extend others. */
const maxDepth = 8
const none: Mapping = { baseUrl: null, paths: [] }

/**
 * Follows TypeScript's rules: the nearest configuration; `extends` in order; `paths` relative to `baseUrl`, or to the
 * file that declares them; exact patterns before the longest prefix.
 * @param packageFolder returns the workspace package at the start of a specifier such as `@app/tsconfig/base.json`,
 * and the rest of the specifier
 */
export function createTsConfigs(
  files: ImportFiles,
  packageFolder: (source: string) => { folder: string; rest: string } | null,
): TsConfigs {
  const read = files.createReader((text) => membersOf(parseJsonc(text)))

  function extended(place: string, source: string): string | null {
    const found = /^\.\.?(\/|$)/.test(source) ? null : packageFolder(source)
    const target = found ? joinInside(found.folder, found.rest) : joinInside(folderOf(place), source)
    return target === null
      ? null
      : ([target, `${target}.json`, childPath(target, 'tsconfig.json')].find(files.exists) ?? null)
  }

  function mappingOf(place: string, depth = 0): Mapping {
    const config = depth > maxDepth ? null : read(place)
    if (!config) return none
    const inherited = stringsOf(config.get('extends')).reduce<Mapping>((before, source) => {
      const parent = extended(place, source)
      const found = parent === null ? none : mappingOf(parent, depth + 1)
      return { baseUrl: found.baseUrl ?? before.baseUrl, paths: found.paths.length > 0 ? found.paths : before.paths }
    }, none)
    const options = membersOf(config.get('compilerOptions'))
    const [written] = stringsOf(options.get('baseUrl'))
    const baseUrl = written === undefined ? inherited.baseUrl : joinInside(folderOf(place), written)
    const own = [...membersOf(options.get('paths'))].map(
      ([pattern, targets]) =>
        [
          pattern,
          stringsOf(targets).flatMap((target) => joinInside(baseUrl ?? folderOf(place), target) ?? []),
        ] as const,
    )
    const found = { baseUrl, paths: own.length > 0 ? own : inherited.paths }
    if (found.paths.length > 0 || depth > 0 || !Array.isArray(config.get('references'))) return found
    // A configuration with only references (as Vite creates) maps nothing itself.
    const references = config.get('references')
    for (const reference of Array.isArray(references) ? references : []) {
      const [target] = stringsOf(membersOf(reference).get('path'))
      const other = target === undefined ? null : extended(place, `./${target}`)
      const mapping = other === null ? none : mappingOf(other, depth + 1)
      if (mapping.paths.length > 0) return mapping
    }
    return found
  }

  return {
    targets(from, source) {
      const place = selfAndAncestors(folderOf(from))
        .flatMap((folder) => ['tsconfig.json', 'jsconfig.json'].map((name) => childPath(folder, name)))
        .find(files.exists)
      if (place === undefined) return []
      const { baseUrl, paths } = mappingOf(place)
      const best = paths
        .flatMap(([pattern, targets]) => {
          const [before = '', after] = pattern.split('*')
          if (after === undefined) return source === pattern ? [{ rank: Number.POSITIVE_INFINITY, targets }] : []
          const fits =
            source.length >= before.length + after.length && source.startsWith(before) && source.endsWith(after)
          const middle = source.slice(before.length, source.length - after.length)
          return fits
            ? [{ rank: before.length, targets: targets.map((target) => target.replace('*', () => middle)) }]
            : []
        })
        .toSorted((a, b) => b.rank - a.rank)[0]
      const fromBase = baseUrl === null ? null : joinInside(baseUrl, source)
      return [...(best?.targets ?? []), ...(fromBase === null ? [] : [fromBase])]
    },
  }
}

/** Parses JSON with comments and trailing commas, as in tsconfig.json. @throws SyntaxError */
export function parseJsonc(text: string): unknown {
  const plain = text
    .replace(/^\ufeff/, '')
    .replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted: string | undefined) => quoted ?? '')
    .replace(/("(?:\\.|[^"\\])*")|,(?=\s*[}\]])/g, (_, quoted: string | undefined) => quoted ?? '')
  return JSON.parse(plain)
}

/** Returns the members of an object; empty for other values. */
export function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [])
}

/** Returns the strings of a list, or a single string as a list. */
export function stringsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string')
}
