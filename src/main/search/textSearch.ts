import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { Match } from '../../shared/tools/tool.ts'
import { startFailure } from '../base/startProcess.ts'
import { globsInFolders } from '../base/workspaceRoots.ts'
import type { ResolvedPath } from '../workspace/containment.ts'
import { findDependencyFolders } from './dependencyFolders.ts'
import { filesInScope } from './fileSearch.ts'
import { globFilter, withoutDependencies, type GlobFilter } from './globs.ts'
import {
  asArgument,
  checkCancelled,
  checkReadable,
  isInside,
  resolveScope,
  rootsOf,
  searchRuns,
  type SearchRuns,
} from './searchScope.ts'
import { MatchCollector, type CollectorOptions } from './matchCollector.ts'
import { findOtherEncodings } from './otherEncodings.ts'
import { commonFlags } from './ripgrep.ts'
import { MessageReader } from './ripgrepMessages.ts'
import type { SearchCall, SearchDeps, TextQuery, TextResult } from './searchQuery.ts'

/** Maximum number of matching lines counted. A pattern with more matches is too broad. */
const maxCount = 20_000
const maxPatternLength = 10_000
const maxSkipped = 50

/** Unsaved text of an open tab. */
type UnsavedBuffer = ReturnType<SearchDeps['dirtyBuffers']>[number]

/** One call of `searchText`, which can take several ripgrep runs. */
interface TextSearch {
  deps: SearchDeps
  query: TextQuery
  filter: GlobFilter | undefined
  scope: readonly ResolvedPath[]
  runs: SearchRuns
  /** Aborted by the caller and by the time limit. */
  signal: AbortSignal
  /** Unreadable paths with the reason. */
  skipped: Set<string>
  /** Files whose unsaved text is searched instead. */
  unsaved: Set<string>
  /** Files that are not Unicode, by name of their encoding. Undefined until they were looked for. */
  others: Map<string, string[]> | undefined
  /** Whether a file is skipped although it matches the globs. */
  isLeftOut(file: string): boolean
  /** Receives a collector's matches while it runs. */
  report(collector: MatchCollector): void
}

/** Searches file content: one run on disk, one for dependencies if requested, and one per unsaved buffer. */
export async function searchText(deps: SearchDeps, query: TextQuery, call: SearchCall<Match>): Promise<TextResult> {
  const started = performance.now()
  checkPattern(query)
  checkCancelled(call.signal)
  const { workspace } = deps
  const filter = globFilter((query.globs ?? []).flatMap((glob) => globsInFolders(workspace, glob)))
  const paths = query.paths ?? ['.']
  const resolving = resolveScope(workspace, paths)
  // A failure is reported when it is awaited.
  resolving.catch(() => undefined)
  const runs = await searchRuns(workspace)
  // The root is checked while ripgrep runs.
  const scope = paths.length === 1 && paths[0] === '.' ? rootsOf(workspace) : await resolving
  const timer = query.timeoutMs === undefined ? undefined : timeLimit(query.timeoutMs)
  const signal = timer ? AbortSignal.any([call.signal, timer.signal]) : call.signal
  const unsaved = new Set<string>()
  const isLeftOut = (file: string): boolean => workspace.isOwnData(file) || query.leaveOut?.(file) === true
  const maxResults = query.maxResults ?? 1000
  const options: CollectorOptions = {
    maxResults,
    maxCount: Math.max(maxCount, maxResults),
    context: query.context ?? 0,
    maxText: query.maxText ?? 500,
    replacements: query.replacement !== undefined,
    accepts: (file) => !unsaved.has(file) && !isLeftOut(file) && (filter === undefined || filter.matches(file)),
  }
  const counted = new MatchCollector(options)
  const report = (from: MatchCollector): void => {
    const batch = from === counted ? from.takeBatch() : []
    if (batch.length > 0) call.onFound?.(batch)
  }
  const search: TextSearch = {
    deps,
    query,
    filter,
    scope,
    runs,
    signal,
    skipped: new Set(),
    unsaved,
    others: undefined,
    isLeftOut,
    report,
  }

  let collector = counted
  try {
    // If a path is invalid, its error is more helpful than ripgrep's.
    await searchScope(search, counted, []).catch(async (error: unknown) => {
      await resolving
      throw error
    })
    await resolving
    if (counted.stopped) {
      // There are too many matches to count, and each run finds different ones first. A sorted, single-threaded search
      // up to the maximum is deterministic.
      collector = new MatchCollector({ ...options, maxCount: Infinity, sorted: true })
      const maxPerFile = Math.min(maxResults, query.maxPerFile ?? Infinity)
      await searchScope(search, collector, ['--sort=path', `--max-count=${maxPerFile}`])
    }
  } finally {
    timer?.clear()
  }
  checkCancelled(call.signal)
  checkReadable(scope, [...search.skipped])
  const timedOut = timer?.signal.aborted ?? false
  return { ...toResult(search, counted, collector, timedOut), elapsedMs: Math.round(performance.now() - started) }
}

/**
 * @param counted the collector that counted all matches
 * @param collector the collector of the matches to return
 */
function toResult(
  { scope, skipped, unsaved, others }: TextSearch,
  counted: MatchCollector,
  collector: MatchCollector,
  timedOut: boolean,
): Omit<TextResult, 'elapsedMs'> {
  const { matches } = collector
  // ripgrep also counts the file of a searched buffer, unless it was an explicit path and therefore excluded.
  const buffersCountedTwice = [...unsaved].filter((file) => !scope.some(({ relative }) => relative === file)).length
  const countedTwice = buffersCountedTwice + [...(others?.values() ?? [])].flat().length
  return {
    matches,
    total: counted.total,
    totalIsMinimum: counted.stopped || timedOut,
    truncated: counted.total > matches.length || timedOut,
    timedOut,
    files: collector.files,
    filesSearched: Math.max(0, counted.filesSearched - countedTwice),
    skipped:
      skipped.size > maxSkipped
        ? [...[...skipped].slice(0, maxSkipped), `${skipped.size - maxSkipped} more`]
        : [...skipped],
    binary: collector.binary,
  }
}

/** Searches unsaved buffers, files on disk and, if requested, dependencies. */
async function searchScope(search: TextSearch, collector: MatchCollector, flags: string[]): Promise<void> {
  const { deps, query, filter, scope, signal, unsaved } = search
  unsaved.clear()
  await withIgnoreFile(filter, async (filterFlags) => {
    const buffers = (await buffersInScope(search)).filter((buffer) => !search.isLeftOut(buffer.path))
    for (const buffer of buffers) await runRipgrep(search, collector, [...flags, '--text', '--', '-'], buffer)
    for (const buffer of buffers) unsaved.add(buffer.path)
    const onDisk = scope.filter(({ relative }) => !unsaved.has(relative))
    if (onDisk.length === 0) return
    const runs = search.runs(onDisk.map(({ relative }) => relative))
    const args = runs.map(({ ignoring, paths }) => [
      ...ignoring,
      ...withoutDependencies,
      ...filterFlags,
      '--',
      ...paths,
    ])
    await runOnDisk(search, collector, flags, args)
  })
  if (!query.includeDependencies) return
  const folders = await findDependencyFolders(deps.workspace.root, scope, signal)
  const globs = [...(filter?.globFlags ?? []), '!.git'].flatMap((glob) => ['--glob', glob])
  // Ignore rules of packages exclude needed files, and pnpm stores packages in a hidden folder.
  if (folders.length > 0)
    await runRipgrep(search, collector, [
      ...flags,
      '--no-ignore',
      '--hidden',
      ...globs,
      '--',
      ...folders.map(asArgument),
    ])
}

/**
 * Searches files, and searches those that are not Unicode again in their own encoding. These are found while ripgrep
 * runs, so matches already found in them are removed.
 */
async function runOnDisk(
  search: TextSearch,
  collector: MatchCollector,
  flags: string[],
  runs: readonly string[][],
): Promise<void> {
  const { deps, filter, signal, unsaved } = search
  const accepts = (file: string): boolean =>
    !unsaved.has(file) && !search.isLeftOut(file) && (filter === undefined || filter.matches(file))
  const known = search.others
  const others = known ?? new Map<string, string[]>()
  for (const args of runs) {
    const [found] = await Promise.all([
      known ? [] : findOtherEncodings(deps, args, accepts, signal),
      runRipgrep(search, collector, [...flags, ...args]),
    ])
    for (const [label, files] of found) others.set(label, [...(others.get(label) ?? []), ...files])
  }
  search.others = others
  if (others.size === 0) return
  collector.forget(new Set([...others.values()].flat()))
  for (const [label, files] of others)
    for (const part of inParts(files))
      await runRipgrep(search, collector, [...flags, `--encoding=${label}`, '--', ...part.map(asArgument)])
}

/** Maximum number of files per run, because command lines are limited. */
const maxFilesPerRun = 200

function inParts(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / maxFilesPerRun)
  return Array.from({ length: count }, (_, index) => files.slice(index * maxFilesPerRun, (index + 1) * maxFilesPerRun))
}

/** Runs ripgrep once, unless the search has been stopped. @param buffer unsaved text to search instead of files */
async function runRipgrep(
  { deps, query, signal, skipped, report }: TextSearch,
  collector: MatchCollector,
  args: string[],
  buffer?: UnsavedBuffer,
): Promise<void> {
  if (signal.aborted || collector.stopped) return
  collector.setReportedPath(buffer?.path)
  const reader = new MessageReader(collector)
  const outcome = await deps.ripgrep({
    args: [...patternFlags(query), ...args],
    cwd: deps.workspace.root,
    stdin: buffer?.text,
    signal,
    onOutput(chunk) {
      const more = reader.push(chunk)
      report(collector)
      return more
    },
  })
  for (const message of outcome.skipped) skipped.add(message)
}

function checkPattern({ pattern }: TextQuery): void {
  if (pattern === '')
    throw badPattern(
      'The pattern is empty and would match every line.',
      'Pass the text or regular expression to search for.',
    )
  if (pattern.includes('\0'))
    throw badPattern('The pattern contains a NUL character.', 'Search for the text around it.')
  if (pattern.length > maxPatternLength)
    throw badPattern(`The pattern is longer than ${maxPatternLength} characters.`, 'Search for part of it.')
  if (/[\r\n]/.test(pattern))
    throw badPattern(
      'The pattern spans several lines, but the search is line by line.',
      'Search for one line of the text.',
    )
}

function badPattern(message: string, next: string): ToolError {
  return new ToolError('invalid_pattern', message, next)
}

function patternFlags(query: TextQuery): string[] {
  const context = query.context ?? 0
  return [
    ...commonFlags,
    '--json',
    '--crlf',
    query.caseSensitive === false ? '--ignore-case' : '--case-sensitive',
    ...(query.fixed ? ['--fixed-strings'] : []),
    ...(query.wholeWord ? ['--word-regexp'] : []),
    ...(query.maxPerFile === undefined ? [] : [`--max-count=${query.maxPerFile}`]),
    ...(context > 0 ? [`--context=${context}`] : []),
    ...(query.replacement === undefined ? [] : [`--replace=${ripgrepReplacement(query)}`]),
    ...patternsOf(query).flatMap((pattern) => ['-e', pattern]),
  ]
}

/** Returns patterns that find a text in composed and decomposed Unicode. */
function patternsOf({ pattern, fixed }: TextQuery): string[] {
  const [composed, decomposed] = [pattern.normalize('NFC'), pattern.normalize('NFD')]
  if (composed === decomposed) return [pattern]
  if (fixed) return [...new Set([composed, decomposed])]
  // In a class, the two characters would match separately.
  if (pattern.includes('[')) return [pattern]
  return [
    Array.from(composed, (char) =>
      char.normalize('NFD') === char ? char : `(?:${char}|${char.normalize('NFD')})`,
    ).join(''),
  ]
}

/**
 * Returns the unsaved buffers to search: explicit paths, or files in a searched folder that match the globs and that
 * ripgrep would search on disk.
 */
async function buffersInScope({ deps, scope, filter, runs, signal }: TextSearch): Promise<UnsavedBuffer[]> {
  const matching = deps.dirtyBuffers().filter(({ path: file }) => filter === undefined || filter.matches(file))
  const isExplicit = ({ path: file }: UnsavedBuffer): boolean => scope.some(({ relative }) => relative === file)
  const inFolders = matching.filter(
    (buffer) => !isExplicit(buffer) && scope.some(({ relative }) => isInside(buffer.path, relative)),
  )
  if (inFolders.length === 0) return matching.filter(isExplicit)
  const searched = await filesInScope(deps, new Set(inFolders.map(({ path: file }) => file)), scope, runs, signal)
  return matching.filter((buffer) => isExplicit(buffer) || searched.has(buffer.path))
}

/**
 * Passes include globs to ripgrep in an ignore file, because `--glob` would also include ignored and hidden files. The
 * file's rules are relative to the workspace and weaker than every `.gitignore`.
 */
async function withIgnoreFile(filter: GlobFilter | undefined, use: (flags: string[]) => Promise<void>): Promise<void> {
  if (filter === undefined) return use([])
  const folder = await mkdtemp(path.join(tmpdir(), 'tizona-search-'))
  try {
    const file = path.join(folder, 'globs')
    await writeFile(file, `${filter.ignoreLines.join('\n')}\n`).catch((error: unknown) => {
      throw startFailure('ripgrep', error)
    })
    await use(['--ignore-file', file, ...(filter.hidden ? ['--hidden', '--glob', '!.git'] : [])])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function timeLimit(ms: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), ms)
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

/**
 * Converts a replacement to ripgrep's syntax. With literal text it is literal. With a regular expression it works as in
 * VS Code: `$1` to `$99`, `$0` or `$&` for the whole hit, `$$` for a dollar sign, `\n`, `\t` and `\\`, and `${name}`
 * for a named group. Other dollar signs are literal.
 */
function ripgrepReplacement({ replacement = '', pattern, fixed }: TextQuery): string {
  if (fixed) return replacement.replaceAll('$', '$$$$')
  const names = new Set([...pattern.matchAll(/\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/g)].map(([, name]) => name))
  return replacement.replaceAll(
    /\\([nt\\])|\$(\$)|\$(&)|\$(\d{1,2})|\$\{(\w+)\}|\$/g,
    (all, escape?: string, dollar?: string, whole?: string, group?: string, name?: string) => {
      if (escape !== undefined) return escape === 'n' ? '\n' : escape === 't' ? '\t' : '\\'
      if (dollar !== undefined) return '$$'
      if (whole !== undefined) return '${0}'
      if (group !== undefined) return `\${${group}}`
      if (name !== undefined && (names.has(name) || /^\d+$/.test(name))) return all
      return all.replace('$', '$$$$')
    },
  )
}
