import { availableParallelism } from 'node:os'
import { Smallest } from '../base/smallestOf.ts'
import { globsInFolders, relativeGlob, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import type { ResolvedPath } from '../workspace/containment.ts'
import { ToolError } from '../../shared/errors.ts'
import { checkGlob, compileGlobMatcher, includesHidden, withoutDependencies } from './globs.ts'
import { findDependencyFolders } from './dependencyFolders.ts'
import {
  asArgument,
  checkCancelled,
  checkReadable,
  resolveFolder,
  rootsOf,
  searchRuns,
  type SearchRuns,
} from './searchScope.ts'
import { commonFlags } from './ripgrep.ts'
import { compareCodeUnits } from '../base/nameOrder.ts'
import type { FileQuery, FileResult, SearchCall, SearchDeps } from './searchQuery.ts'

/** Finds files by glob with one run of `rg --files`, or two with dependencies. */
export async function searchFiles(deps: SearchDeps, query: FileQuery, call: SearchCall): Promise<FileResult> {
  checkCancelled(call.signal)
  const { workspace } = deps
  const glob = query.glob === undefined ? undefined : checkedGlob(query.glob, workspace)
  if (glob !== undefined) checkGlob(glob)
  const requested = query.path ?? '.'
  const resolving = resolveFolder(workspace, requested)
  // A failure is reported when it is awaited.
  resolving.catch(() => undefined)
  const runs = await searchRuns(workspace)
  // The root is checked while ripgrep runs.
  const { relative } = requested === '.' ? { relative: '.' } : await resolving
  const test =
    glob === undefined || glob === '**' || glob === '**/*'
      ? undefined
      : matcherOf(relative === '.' ? globsInFolders(workspace, glob) : [glob], query.caseSensitive ?? false)
  const prefix = relative === '.' ? './' : `./${relative}/`
  // Selects the same paths in every run, although ripgrep's threads find them in any order.
  const selected = new Smallest(query.maxResults ?? 1000, compareCodeUnits)
  const skipped: string[] = []
  let total = 0
  let seen = 0
  const list = async (flags: string[], folders: string[]): Promise<void> => {
    const outcome = await listFiles(deps, [...flags, '--', ...folders], call.signal, (files) => {
      for (const file of files) {
        seen++
        const path = file.slice(2)
        if (workspace.isOwnData(path) || (test !== undefined && !test(file.slice(prefix.length)))) continue
        if (query.leaveOut?.(path)) continue
        total++
        selected.add(path)
      }
      return true
    })
    skipped.push(...outcome.skipped)
  }
  const depth = query.maxDepth === undefined ? [] : [`--max-depth=${query.maxDepth}`]
  const hidden = glob !== undefined && includesHidden(glob) ? ['--hidden', '--glob', '!.git'] : []
  const listAll = async (): Promise<void> => {
    for (const { ignoring, paths } of runs([relative]))
      await list([...ignoring, ...withoutDependencies, ...hidden, ...depth], paths)
  }
  const listing = listAll()
  // If the path is invalid, its error is more helpful than ripgrep's.
  await listing.catch(() => resolving)
  const folder = await resolving
  await listing
  if (query.includeDependencies) {
    const folders = await findDependencyFolders(
      workspace.root,
      relative === '.' ? rootsOf(workspace) : [folder],
      call.signal,
    )
    if (folders.length > 0) await list(['--no-ignore', '--hidden', '--glob', '!.git'], folders.map(asArgument))
  }
  checkCancelled(call.signal)
  checkReadable([folder], skipped)
  const paths = await selected.sortedInParts()
  checkCancelled(call.signal)
  return { paths, total, truncated: total > paths.length, filesSearched: seen, skipped }
}

/** Returns a test for paths that match one of the globs. */
function matcherOf(globs: readonly string[], caseSensitive: boolean): (path: string) => boolean {
  const tests = globs.map((glob) => compileGlobMatcher(glob, { caseSensitive }))
  return (path) => tests.some((test) => test(path))
}

/** Returns the glob relative to the workspace. Rejects one that only excludes. */
function checkedGlob(glob: string, workspace: WorkspaceRoots): string {
  if (glob.startsWith('!'))
    throw new ToolError(
      'invalid_pattern',
      `The glob "${glob}" only excludes files.`,
      'Pass a glob of the files to find.',
    )
  return relativeGlob(workspace, glob)
}

/**
 * Listing spends its time in the operating system and in passing on paths, so one processor is left to the receiving
 * process. On two processors, one thread also uses a third less processor time than two. ripgrep's own maximum is 12.
 */
const listingThreads = Math.min(12, Math.max(1, availableParallelism() - 1))

/**
 * Runs `rg --files` and passes on its paths in chunks. Each path starts with `./`.
 * @param onFiles returns whether to continue
 */
export async function listFiles(
  deps: Pick<SearchDeps, 'workspace' | 'ripgrep'>,
  args: string[],
  signal: AbortSignal,
  onFiles: (files: string[]) => boolean,
): Promise<{ skipped: string[] }> {
  return listPaths(deps, ['--files', `--threads=${listingThreads}`, ...args], signal, onFiles)
}

/** Like `listFiles`, for any run that prints paths. */
export async function listPaths(
  deps: Pick<SearchDeps, 'workspace' | 'ripgrep'>,
  args: string[],
  signal: AbortSignal,
  onFiles: (files: string[]) => boolean,
): Promise<{ skipped: string[] }> {
  // A file name may contain a byte order mark.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  const outcome = await deps.ripgrep({
    args: [...commonFlags, '--null', ...args],
    cwd: deps.workspace.root,
    signal,
    onOutput(chunk) {
      const files = (rest + decoder.decode(chunk, { stream: true })).split('\0')
      rest = files.pop() ?? ''
      return onFiles(files)
    },
  })
  return outcome
}

/** Returns the files that a search of these folders would include. */
export async function filesInScope(
  deps: SearchDeps,
  files: ReadonlySet<string>,
  scope: readonly ResolvedPath[],
  runs: SearchRuns,
  signal: AbortSignal,
): Promise<Set<string>> {
  const found = new Set<string>()
  const folders = scope.filter(({ type }) => type === 'directory').map(({ relative }) => relative)
  for (const { ignoring, paths } of runs(folders))
    await listFiles(deps, [...ignoring, ...withoutDependencies, '--', ...paths], signal, (listed) => {
      for (const file of listed) if (files.has(file.slice(2))) found.add(file.slice(2))
      return found.size < files.size
    })
  return found
}
