import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { FileOperationRegistrationOptions } from 'vscode-languageserver-protocol'
import type { FileEdits, FileMove, MoveEdits, RangeEdit } from '../../../shared/language/languageServers.ts'
import { absoluteIn, type WorkspaceRoots } from '../../base/workspaceRoots.ts'
import { compileGlob } from '../../base/glob.ts'
import type { RunningServer } from '../serverLifecycle.ts'
import type { Uris } from '../uris.ts'
import type { QueryRunningServers } from './featureServer.ts'
import { fileEdits, mergeFiles, textsOf } from './edits.ts'

interface FileMoveDeps extends Pick<Uris, 'uriOf'> {
  workspace: WorkspaceRoots
  queryRunning: QueryRunningServers
  running(): readonly RunningServer[]
  policy(): 'prompt' | 'always' | 'never'
  /** Milliseconds that a move waits for the servers. */
  maxWait: number
}

/** Maximum entries of a moved folder that are compared with a server's filters. */
const maxEntries = 5000

/** Reports moves of files and folders to language servers, before and after. */
export function createFileMoves({ workspace, uriOf, queryRunning, running, policy, maxWait }: FileMoveDeps) {
  const paramsOf = (moves: readonly FileMove[]) => ({
    files: moves.map(({ from, to }) => ({ oldUri: uriOf(from), newUri: uriOf(to) })),
  })

  /** Returns the moves that match filters. @param side where the entries are now */
  async function wanted(
    moves: readonly FileMove[],
    filters: FileOperationRegistrationOptions['filters'],
    side: 'from' | 'to',
  ): Promise<FileMove[]> {
    const isWanted = matcherOf(filters)
    const found = await Promise.all(moves.map((move) => matchesEntry(absoluteIn(workspace, move[side]), isWanted)))
    return moves.filter((_, index) => found[index])
  }

  return {
    /**
     * Computes what running servers change in files because entries move. Call this before the move. A server that
     * fails or is too slow contributes no changes.
     * @returns null if nothing changes
     */
    async willMove(moves: readonly FileMove[]): Promise<MoveEdits | null> {
      const updates = policy()
      if (updates === 'never') return null
      const signal = AbortSignal.timeout(maxWait)
      const found = await queryRunning(
        'workspace/willRenameFiles',
        async (answering) => {
          const { server } = answering
          const filters = server.running()?.connection.renameFilters('willRename') ?? []
          const moved = await wanted(moves, filters, 'from')
          if (moved.length === 0) return null
          const texts = textsOf(server)
          const edit = await answering.request('workspace/willRenameFiles', paramsOf(moved))
          return edit && fileEdits(answering, edit, texts)
        },
        signal,
      )
      const merged = mergeFiles(found.flat()).map(withoutContradictions)
      const files = merged.map(({ file }) => file).filter(({ edits }) => edits.length > 0)
      // Paths between entries that move together stay valid.
      const together = new Set(moves.map(({ from, to }) => `${path.dirname(from)}\0${path.dirname(to)}`)).size === 1
      const unclear = together ? [] : merged.flatMap(({ file, unclear: left }) => (left ? [file.path] : []))
      return files.length + unclear.length === 0 ? null : { files, unclear, ask: updates === 'prompt' }
    },

    /** Notifies running servers after entries have moved. */
    async didMove(moves: readonly FileMove[]): Promise<void> {
      for (const { connection } of running()) {
        const moved = await wanted(moves, connection.renameFilters('didRename'), 'to')
        if (moved.length > 0) connection.notify('workspace/didRenameFiles', paramsOf(moved))
      }
    },
  }
}

type Matches = (absolute: string, kind: 'file' | 'folder') => boolean

function matcherOf(filters: FileOperationRegistrationOptions['filters']): Matches {
  const matchers = filters
    .filter(({ scheme }) => scheme === undefined || scheme === 'file')
    .map(({ pattern: { glob, matches, options } }) => ({
      kind: matches,
      test: compileGlob(glob, { caseSensitive: options?.ignoreCase !== true }),
    }))
  return (absolute, kind) =>
    matchers.some((each) => (each.kind ?? kind) === kind && each.test?.(absolute.split(path.sep).join('/')) === true)
}

/**
 * Whether filters match a file, or a folder or a file in it: TypeScript handles folders too, but its filter only lists
 * files.
 */
async function matchesEntry(absolute: string, isWanted: Matches): Promise<boolean> {
  const entry = await lstat(absolute).catch(() => undefined)
  if (!entry) return false
  if (!entry.isDirectory()) return isWanted(absolute, 'file')
  if (isWanted(absolute, 'folder')) return true
  let seen = 0
  const folders = [absolute]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const child of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      seen += 1
      if (seen > maxEntries) return false
      const name = path.join(folder, child.name)
      if (!child.isDirectory()) {
        if (isWanted(name, 'file')) return true
      } else if (child.name !== 'node_modules' && child.name !== '.git') folders.push(name)
    }
  }
  return false
}

/**
 * Removes duplicate edits of a file and those that overlap others. TypeScript handles each of several moved files as if
 * only that one moved.
 */
function withoutContradictions({ edits, ...file }: FileEdits): { file: FileEdits; unclear: boolean } {
  const different = [...new Map(edits.map((edit) => [JSON.stringify(edit), edit])).values()]
  const clear = different.filter((edit) => !different.some((other) => other !== edit && overlap(edit, other)))
  return { file: { ...file, edits: clear }, unclear: clear.length < different.length }
}

function overlap({ range: a }: RangeEdit, { range: b }: RangeEdit): boolean {
  const isBefore = (line: number, column: number, toLine: number, toColumn: number) =>
    line < toLine || (line === toLine && column < toColumn)
  return (
    isBefore(a.startLine, a.startColumn, b.endLine, b.endColumn) &&
    isBefore(b.startLine, b.startColumn, a.endLine, a.endColumn)
  )
}
