import { plural } from '../../../shared/text/plural.ts'
import { compareCodeUnits } from '../../base/nameOrder.ts'
import type { CentralSymbol } from './centralSymbols.ts'
import { languageOf } from '../index/languages.ts'
import { manifestEntries, projectPurpose, type ProjectTexts } from './projectPurpose.ts'
import type { IndexStore } from '../index/indexStore.ts'

const maxFolders = 60
const maxCentralSymbols = 30
const maxPreviewFolders = 200
const maxPreviewSymbols = 8
const maxEntryPoints = 20
const maxSkippedFiles = 20
const entryName = /(^|\/)(main|index|app|cli|server|__main__|lib|mod|program)\.\w+$/i

/**
 * Describes a project from its index: purpose, languages, folders with file counts, entry points, central symbols,
 * and an outline of each folder. Deterministic.
 * @param ranked central symbols of the whole workspace, most central first
 * @param paths all files, relative to the workspace
 * @param folder limits the overview to this folder; `.` for the whole workspace
 */
export function projectOverview(
  store: IndexStore,
  ranked: readonly CentralSymbol[],
  paths: readonly string[],
  folder: string,
  texts: ProjectTexts,
): string {
  const prefix = folder === '.' ? '' : `${folder}/`
  const files = paths.filter((path) => path.startsWith(prefix)).toSorted(compareCodeUnits)
  return [
    `# Project index${prefix === '' ? '' : `: ${folder}`}`,
    `${plural(files.length, 'file')}${languageLine(files)}`,
    ...section('## Purpose', projectPurpose(texts)),
    '## Directory structure',
    ...folderLines(files, prefix),
    '## Entry points',
    ...orNone(entryPoints(files, prefix, texts)),
    '## Central symbols',
    ...orNone(centralSymbolLines(ranked, prefix)),
    '## Contents by directory',
    ...orNone(contentLines(store, files)),
    ...section('## Not indexed', skippedFiles(store, prefix)),
  ].join('\n')
}

function languageLine(files: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const file of files) {
    const title = languageOf(file)?.title
    if (title !== undefined) counts.set(title, (counts.get(title) ?? 0) + 1)
  }
  const topLanguages = [...counts].toSorted((a, b) => b[1] - a[1] || compareCodeUnits(a[0], b[0])).slice(0, 8)
  return topLanguages.length === 0 ? '' : `: ${topLanguages.map(([title, count]) => `${title} ${count}`).join(', ')}`
}

/** Returns the entry points named in manifests, then files with typical entry point names. */
function entryPoints(files: readonly string[], prefix: string, texts: ProjectTexts): string[] {
  const existing = new Set(files)
  const named = manifestEntries(texts).filter((path) => existing.has(path))
  const usual = files.filter((path) => entryName.test(path) && path.slice(prefix.length).split('/').length <= 4)
  return [...new Set([...named, ...usual])].slice(0, maxEntryPoints).map((path) => `- ${path}`)
}

function folderLines(files: readonly string[], prefix: string): string[] {
  const counts = new Map<string, number>()
  for (const file of files) {
    const parts = file.slice(prefix.length).split('/').slice(0, -1).slice(0, 3)
    for (let depth = 0; depth <= parts.length; depth++) {
      const name = depth === 0 ? '.' : parts.slice(0, depth).join('/')
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
  }
  const names = [...counts.keys()].toSorted(compareCodeUnits)
  const lines = names
    .slice(0, maxFolders)
    .map(
      (name) =>
        `${name === '.' ? '' : '  '.repeat(name.split('/').length)}${name}/ (${plural(counts.get(name) ?? 0, 'file')})`,
    )
  return names.length > maxFolders ? [...lines, `… and ${plural(names.length - maxFolders, 'more folder')}`] : lines
}

function centralSymbolLines(ranked: readonly CentralSymbol[], prefix: string): string[] {
  return ranked
    .filter(({ symbol }) => symbol.path.startsWith(prefix))
    .slice(0, maxCentralSymbols)
    .map(({ symbol, files, mentions }) => {
      const counted = plural(files, 'other file')
      const used =
        mentions === undefined ? counted : `at least ${counted} (this name is in ${plural(mentions, 'file')})`
      return `- ${symbol.kind} ${symbol.qualified} (${symbol.path}:${symbol.line}), used by ${used}`
    })
}

/** Lists the files that crashed the index process, with the reason. */
function skippedFiles(store: IndexStore, prefix: string): string[] {
  const all = store
    .allSkipped()
    .filter(({ path }) => path.startsWith(prefix))
    .map(({ path, reason }) => `- ${path}: ${reason}`)
  return all.length > maxSkippedFiles
    ? [...all.slice(0, maxSkippedFiles), `… and ${plural(all.length - maxSkippedFiles, 'more file')}`]
    : all
}

/** Lists the first symbols of each file by folder. */
function contentLines(store: IndexStore, files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))) || '.')
  const named = [...folders]
    .toSorted(([a], [b]) => compareCodeUnits(a, b))
    .flatMap(([folder, members]) => {
      const lines = members.flatMap((path) => {
        const symbols = store.symbols(
          "s.path = ? AND s.parent IS NULL AND s.kind NOT IN ('import', 'export') ORDER BY s.exported DESC, s.line LIMIT ?",
          path,
          maxPreviewSymbols,
        )
        return symbols.length === 0 ? [] : [`- ${path}: ${[...new Set(symbols.map(({ name }) => name))].join(', ')}`]
      })
      return lines.length === 0 ? [] : [[`### ${folder}/`, ...lines]]
    })
  const rest =
    named.length > maxPreviewFolders ? [`… and ${plural(named.length - maxPreviewFolders, 'more folder')}`] : []
  return [...named.slice(0, maxPreviewFolders).flat(), ...rest]
}

const section = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [title, ...lines]
const orNone = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? ['(none known)'] : lines)
