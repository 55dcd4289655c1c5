import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ToolError } from '../../shared/errors.ts'
import type { Match } from '../../shared/tool.ts'
import { startFailure } from '../base/startProcess.ts'
import type { ResolvedPath } from '../workspace/containment.ts'
import { findDependencyFolders } from './dependencies.ts'
import { searchedAmong } from './fileSearch.ts'
import { globFilter, withoutDependencies, type GlobFilter } from './globs.ts'
import { ignoreFlags } from './ignoreFlags.ts'
import { MatchCollector, type CollectorOptions } from './matchCollector.ts'
import { MessageReader } from './messageReader.ts'
import { commonFlags, type RipgrepRun } from './ripgrep.ts'
import { asArgument, checkCancelled, checkReadable, isInside, resolveScope } from './searchScope.ts'
import type { SearchCall, SearchDeps, TextQuery, TextResult } from './searchQuery.ts'

/** Maximum number of matching lines counted. A pattern with more matches is too broad. */
const maxCount = 20_000
const maxPatternLength = 10_000
const maxSkipped = 50

/** Searches file contents: one run on disk, one for dependencies if requested, and one per unsaved buffer. */
export async function searchText(deps: SearchDeps, query: TextQuery, call: SearchCall<Match>): Promise<TextResult> {
  const started = performance.now()
  checkPattern(query)
  checkCancelled(call.signal)
  const { workspace, ripgrep } = deps
  const filter = globFilter(query.globs ?? [])
  const [scope, ignoring] = await Promise.all([
    resolveScope(workspace, query.paths ?? ['.']),
    ignoreFlags(workspace.root),
  ])
  const timer = query.timeoutMs === undefined ? undefined : timeLimit(query.timeoutMs)
  const signal = timer ? AbortSignal.any([call.signal, timer.signal]) : call.signal
  const skipped = new Set<string>()
  /** Files whose unsaved text was searched instead. */
  const replaced = new Set<string>()
  const maxResults = query.maxResults ?? 1000
  const options: CollectorOptions = {
    maxResults,
    maxCount: Math.max(maxCount, maxResults),
    context: query.context ?? 0,
    maxText: query.maxText ?? 500,
    accepts: (file) => !replaced.has(file) && (filter === undefined || filter.matches(file)),
  }
  const counted = new MatchCollector(options)
  const run = async (
    collector: MatchCollector,
    flags: string[],
    args: string[],
    stdin?: { path: string; text: string },
  ): Promise<void> => {
    if (signal.aborted || collector.stopped) return
    collector.useName(stdin?.path)
    const reader = new MessageReader(collector)
    const onOutput: RipgrepRun['onOutput'] = (chunk) => {
      const more = reader.push(chunk)
      const batch = collector === counted ? collector.takeBatch() : []
      if (batch.length > 0) call.onFound?.(batch)
      return more
    }
    const outcome = await ripgrep({
      args: [...patternFlags(query), ...flags, ...args],
      cwd: workspace.root,
      stdin: stdin?.text,
      signal,
      onOutput,
    })
    for (const message of outcome.skipped) skipped.add(message)
  }
  const search = async (collector: MatchCollector, flags: string[]): Promise<void> => {
    replaced.clear()
    await withIgnoreFile(filter, async (filterFlags) => {
      const buffers = await buffersInScope(deps, scope, filter, ignoring, signal)
      for (const buffer of buffers) await run(collector, flags, ['--text', '--', '-'], buffer)
      for (const buffer of buffers) replaced.add(buffer.path)
      const onDisk = scope.filter(({ relative }) => !replaced.has(relative))
      if (onDisk.length > 0)
        await run(collector, flags, [
          ...ignoring,
          ...withoutDependencies,
          ...filterFlags,
          '--',
          ...onDisk.map(({ relative }) => asArgument(relative)),
        ])
    })
    if (!query.includeDependencies) return
    const folders = await findDependencyFolders(workspace.root, scope, signal)
    const globs = [...(filter?.globFlags ?? []), '!.git'].flatMap((glob) => ['--glob', glob])
    // Ignore rules of packages exclude needed files, and pnpm keeps packages in a hidden folder.
    if (folders.length > 0)
      await run(collector, flags, ['--no-ignore', '--hidden', ...globs, '--', ...folders.map(asArgument)])
  }

  let collector = counted
  try {
    await search(counted, [])
    if (counted.stopped) {
      // Too many to count, and each run finds others first. A sorted search with one thread, up to the maximum, is
      // deterministic.
      collector = new MatchCollector({ ...options, maxCount: Infinity, sorted: true })
      await search(collector, ['--sort=path', `--max-count=${Math.min(maxResults, query.maxPerFile ?? Infinity)}`])
    }
  } finally {
    timer?.clear()
  }
  checkCancelled(call.signal)
  checkReadable(scope, [...skipped])
  const { matches } = collector
  const timedOut = timer?.signal.aborted ?? false
  return {
    matches,
    total: counted.total,
    atLeast: counted.stopped || timedOut,
    truncated: counted.total > matches.length || timedOut,
    timedOut,
    files: collector.files,
    // ripgrep also counts the file of a searched buffer, unless it was an explicit path and therefore excluded.
    filesSearched: Math.max(
      0,
      counted.filesSearched - [...replaced].filter((file) => !scope.some(({ relative }) => relative === file)).length,
    ),
    skipped:
      skipped.size > maxSkipped
        ? [...[...skipped].slice(0, maxSkipped), `${skipped.size - maxSkipped} more`]
        : [...skipped],
    binary: collector.binary,
    elapsedMs: Math.round(performance.now() - started),
  }
}

function checkPattern({ pattern }: TextQuery): void {
  if (pattern === '')
    throw badPattern('is empty and would match every line', 'Give the text or regular expression to search for.')
  if (pattern.includes('\0')) throw badPattern('contains a NUL character', 'Search for the text around it.')
  if (pattern.length > maxPatternLength)
    throw badPattern(`is longer than ${maxPatternLength} characters`, 'Search for part of it.')
  if (/[\r\n]/.test(pattern))
    throw badPattern('spans several lines, but the search is line by line', 'Search for one line of the text.')
}

function badPattern(why: string, next: string): ToolError {
  return new ToolError('invalid_pattern', `The pattern ${why}.`, next)
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
    '-e',
    query.pattern,
  ]
}

/**
 * Returns the unsaved buffers to search: explicit paths, or files in a searched folder that match the globs and that
 * ripgrep would search on disk.
 */
async function buffersInScope(
  deps: SearchDeps,
  scope: readonly ResolvedPath[],
  filter: GlobFilter | undefined,
  ignoring: string[],
  signal: AbortSignal,
): Promise<{ path: string; text: string }[]> {
  const wanted = deps.dirtyBuffers().filter(({ path: file }) => filter === undefined || filter.matches(file))
  const named = (file: string): boolean => scope.some(({ relative }) => relative === file)
  const inside = wanted.filter(
    ({ path: file }) => !named(file) && scope.some(({ relative }) => isInside(file, relative)),
  )
  if (inside.length === 0) return wanted.filter(({ path: file }) => named(file))
  const searched = await searchedAmong(
    deps,
    new Set(inside.map(({ path: file }) => file)),
    scope,
    [...ignoring, ...withoutDependencies],
    signal,
  )
  return wanted.filter(({ path: file }) => named(file) || searched.has(file))
}

/**
 * Passes include globs to ripgrep in an ignore file, because `--glob` would also include ignored and hidden files. The
 * rules in the file are relative to the workspace and weaker than every `.gitignore`.
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
