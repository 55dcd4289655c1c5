import type { DatabaseSync } from 'node:sqlite'
import { Delayer } from '../../../shared/async/delayer.ts'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { ToolError, toFailure } from '../../../shared/errors.ts'
import type { FileVersion, FileWithHistory } from '../../../shared/files/localHistory.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { log } from '../../base/log/log.ts'
import type { Checkpoints } from '../checkpoints/checkpoints.ts'
import { hashOf, type Entry } from '../checkpoints/entries.ts'
import { createVersionRows, type HistoryLimits, type StoredVersion, type VersionRows } from './versionRows.ts'

/** The content of a file at one time. */
export interface FileContent {
  /** Relative to the workspace. */
  path: string
  bytes: Buffer
  /** Permission bits. */
  mode: number
  /** When it was written, in milliseconds since the epoch. */
  modified: number
}

/** Versions of single files: of saves, of the agent's changes and of changes by other programs, and in checkpoints. */
export interface LocalHistory {
  /** Lists the versions of a file, newest first. */
  list(path: string): Promise<FileVersion[]>
  /** Lists the files with recorded versions, latest change first. */
  files(): FileWithHistory[]
  /** Returns a version. @throws ToolError `not_found` if it is no longer stored */
  content(path: string, id: string): Promise<{ bytes: Buffer; mode: number }>
  /** Reads a file before Tizona changes it. Null if it is missing, secret, too large or not a file. */
  contentBefore(path: string): Promise<FileContent | null>
  /** Records what Tizona wrote for the user. @param before from `contentBefore` */
  written(path: string, source: 'saved' | 'restored', before: FileContent | null): void
  /** Records the last text of a file that is about to be deleted. */
  deleting(path: string): Promise<void>
  moved(from: string, to: string): void
  /** Records changes by a call. Their contents are stored already. @param turn id of the user message */
  agentChanged(changes: readonly { path: string; before?: Entry; after?: Entry }[], turn: string | null): void
  /**
   * Records changes on disk of files with recorded versions.
   * @param paths null: too many changed to be known
   */
  changedOnDisk(paths: readonly string[] | null): void
  /** Records the text of a tab that another program has replaced on disk. */
  replacedOnDisk(earlier: Omit<FileContent, 'mode'>): void
  close(): Promise<void>
}

export interface LocalHistoryDeps {
  db: DatabaseSync
  workspace: string
  checkpoints: Pick<Checkpoints, 'contents' | 'versions' | 'fileAt' | 'forget'>
  settings(): Settings['localHistory']
  isSecret(path: string): boolean
  /** Reads a file. Null if it is missing, larger than the limit in bytes, or not a file. */
  read(path: string, limit: number): Promise<FileContent | null>
  onChanged(paths: string[]): void
  limits?: HistoryLimits
}

/** Limits of the versions of one folder. */
const defaultLimits: HistoryLimits = { versions: 5_000, bytes: 100 * 1024 * 1024 }
/** Maximum number of files with versions in a list. */
const maxFiles = 1_000
/** Maximum number of files of one call whose versions are recorded. */
const maxCallFiles = 500
/** Number of new versions after which the limits of the folder are checked. */
const pruneInterval = 20
/** Number of deleted versions after which unreferenced blobs are deleted, which reads the whole store. */
const sweepInterval = 500
/** Milliseconds within which a change that was found on disk is attributed to the call that made it. */
const attributionMs = 60_000
/** Milliseconds to collect changes on disk, and changes that are too many to be known. */
const settleMs = 500
const overflowSettleMs = 5000

/** Contents are stored with those of checkpoints. */
export function createLocalHistory(deps: LocalHistoryDeps): LocalHistory {
  const rows = createVersionRows(deps.db, deps.workspace)
  const recorder = createRecorder(deps, rows)
  const outside = createOutsideChanges(deps, rows, recorder)
  const { contents, versions: checkpointVersions, fileAt } = deps.checkpoints

  return {
    async list(path) {
      const recorded = rows.list(path, deps.settings().maxFileEntries)
      const known = new Set(recorded.map(({ hash }) => hash))
      const taken = (await checkpointVersions(path)).filter(({ file }) => !known.has(file.hash))
      return [
        ...recorded.map((version) => describe(version, rows)),
        ...taken.map(({ checkpoint: { id, at, reason } }): FileVersion => ({
          id: `c${id}`,
          at,
          source: 'checkpoint',
          detail: reason,
        })),
      ].toSorted((a, b) => b.at - a.at)
    },
    files: () => rows.files(maxFiles),
    async content(path, id) {
      const number = Number(id.slice(1))
      if (id.startsWith('c')) {
        const bytes = await fileAt(number, path)
        const taken = (await checkpointVersions(path)).find(({ checkpoint }) => checkpoint.id === number)
        if (bytes && taken) return { bytes, mode: taken.file.mode }
      } else {
        const version = rows.get(path, number)
        if (version) return { bytes: await contents.get(version.hash), mode: version.mode }
      }
      throw new ToolError(
        'not_found',
        `This version of "${path}" is no longer stored.`,
        'Choose another one, or use the file history of your version control.',
      )
    },
    contentBefore: recorder.read,
    written: (path, source, before) => recorder.inOrder(() => recorder.recordFile(path, { source }, before)),
    deleting: (path) =>
      recorder.inOrder(async () => {
        const content = await recorder.read(path)
        if (content) await recorder.recordContent(content, { source: 'deleted' })
      }),
    moved: (from, to) =>
      void recorder.inOrder(async () => {
        rows.move(from, to)
        deps.onChanged([from, to])
      }),
    agentChanged(changes, turn) {
      if (changes.length > 0) void recorder.inOrder(async () => recordCall(deps, rows, recorder, changes, turn))
    },
    ...outside,
    async close() {
      outside.close()
      await recorder.inOrder(async () => undefined)
    },
  }
}

function describe({ id, at, source, conversationId }: StoredVersion, { titleOf }: VersionRows): FileVersion {
  const title = conversationId === undefined ? undefined : titleOf(conversationId)
  return { id: `v${id}`, at, source, ...(title === undefined ? {} : { detail: title }) }
}

type Origin = Pick<StoredVersion, 'source' | 'conversationId'>
type StoredContent = Pick<StoredVersion, 'path' | 'hash' | 'bytes' | 'mode'>

/** Records versions, one after another. A failure is logged, because it must not fail the change itself. */
function createRecorder(
  { checkpoints, settings, isSecret, read, onChanged, limits = defaultLimits }: LocalHistoryDeps,
  rows: VersionRows,
) {
  const operations = new Sequencer()
  let added = 0
  let dropped = 0

  const isRecorded = (path: string, bytes: number): boolean =>
    settings().enabled && bytes <= settings().maxFileSize * 1024 && !isSecret(path)

  async function stored({ path, bytes, mode }: FileContent): Promise<StoredContent> {
    const hash = await hashOf(bytes)
    await checkpoints.contents.put(hash, bytes)
    return { path, hash, bytes: bytes.length, mode }
  }

  function add(version: Omit<StoredVersion, 'id'>): void {
    rows.add(version)
    dropped += rows.keepNewest(version.path, settings().maxFileEntries)
    added += 1
    if (added % pruneInterval === 0) dropped += rows.prune(limits)
    if (dropped < sweepInterval) return
    dropped = 0
    checkpoints.forget([], true).catch((error: unknown) => log.error('Old versions of files were not deleted', error))
  }

  /** Adds a version unless it is the newest one. Replaces the newest one if both come from one series of changes. */
  function record(content: StoredContent, origin: Origin): void {
    const at = Date.now()
    const [newest] = rows.list(content.path, 1)
    const version = { ...content, ...origin, at }
    const { source, conversationId } = origin
    if (newest?.hash === content.hash && source !== 'deleted') {
      // The watcher can report a change before its author does.
      if (newest.source !== 'external' || source === 'external' || at - newest.at > attributionMs) return
      rows.replace(newest.id, { ...version, at: newest.at })
    } else if (
      newest?.source === source &&
      newest.conversationId === conversationId &&
      at - newest.at < settings().mergeWindow * 1000
    ) {
      rows.replace(newest.id, version)
      dropped += 1
    } else add(version)
  }

  /** Records the content before a change that Tizona does not know yet. @param modified when it was written */
  function recordEarlier(content: StoredContent, modified: number): void {
    const latest = rows.list(content.path, 2)
    if (latest.some(({ hash }) => hash === content.hash)) return
    // It is older than a version that the watcher has reported already, and newer than all others.
    const last = latest.find(({ source, at }) => source !== 'external' || Date.now() - at > attributionMs)
    const at = Math.min(Date.now() - 1, Math.max(modified, (last?.at ?? 0) + 1))
    add({ ...content, source: 'earlier', at })
  }

  const recorder = {
    isRecorded,
    record,
    recordEarlier,
    async read(path: string): Promise<FileContent | null> {
      if (!isRecorded(path, 0)) return null
      const content = await read(path, settings().maxFileSize * 1024)
      return content && isRecorded(content.path, content.bytes.length) ? content : null
    },
    async recordContent(content: FileContent, origin: Origin): Promise<void> {
      record(await stored(content), origin)
      onChanged([content.path])
    },
    /** Records the present content of a file. */
    async recordFile(path: string, origin: Origin, before: FileContent | null): Promise<void> {
      const after = await recorder.read(path)
      if (before && isRecorded(before.path, before.bytes.length)) recordEarlier(await stored(before), before.modified)
      if (after) record(await stored(after), origin)
      if (before || after) onChanged([after?.path ?? path])
    },
    inOrder: (act: () => Promise<void>): Promise<void> =>
      operations.queue(act).catch((error: unknown) => {
        if (toFailure(error).code !== 'not_found') log.error('A version of a file was not recorded', error)
      }),
  }
  return recorder
}

type Recorder = ReturnType<typeof createRecorder>

/** Records what a call changed. Other calls' folders can have many files, so only the first ones are recorded. */
function recordCall(
  { onChanged }: Pick<LocalHistoryDeps, 'onChanged'>,
  rows: VersionRows,
  { isRecorded, record, recordEarlier }: Recorder,
  changes: Parameters<LocalHistory['agentChanged']>[0],
  turn: string | null,
): void {
  const conversationId = turn === null ? undefined : rows.conversationOf(turn)
  const recorded: string[] = []
  for (const { path, before, after } of changes.slice(0, maxCallFiles)) {
    const contentOf = (entry: Entry | undefined): StoredContent | undefined =>
      entry?.kind === 'file' && isRecorded(path, entry.size)
        ? { path, hash: entry.hash, bytes: entry.size, mode: entry.mode }
        : undefined
    const [earlier, present] = [contentOf(before), contentOf(after)]
    // The time of the last change is unknown. The clock is that of the call.
    if (earlier && present) recordEarlier(earlier, Date.now() - 1)
    if (present) record(present, { source: 'agent', conversationId })
    else if (earlier && !after) record(earlier, { source: 'deleted', conversationId })
    if (earlier ?? present) recorded.push(path)
  }
  if (recorded.length > 0) onChanged(recorded)
}

/** Records changes of other programs. Of a file that changes often, one version per merge window. */
function createOutsideChanges({ settings }: LocalHistoryDeps, rows: VersionRows, recorder: Recorder) {
  const waiting = new Set<string>()
  /** Returns the milliseconds in which further changes belong to the newest version. */
  const mergeTime = (path: string): number => {
    const [newest] = rows.list(path, 1)
    return newest?.source === 'external' ? newest.at + settings().mergeWindow * 1000 - Date.now() : 0
  }
  const settle = new Delayer(() => {
    const paths = [...waiting]
    waiting.clear()
    for (const path of paths)
      void recorder.inOrder(async () => {
        const next = mergeTime(path)
        if (next > 0) {
          waiting.add(path)
          settle.start(next)
        } else await recorder.recordFile(path, { source: 'external' }, null)
      })
  }, settleMs)

  return {
    changedOnDisk(paths: readonly string[] | null) {
      if (!settings().enabled) return
      const known = paths ? paths.filter((path) => rows.hasFile(path)) : rows.files(maxFiles).map(({ path }) => path)
      for (const path of known) waiting.add(path)
      // After a long series of changes, not once for each part of it.
      if (waiting.size > 0) settle.start(paths ? settleMs : overflowSettleMs)
    },
    replacedOnDisk: (earlier: Omit<FileContent, 'mode'>) =>
      void recorder.inOrder(async () => {
        const present = await recorder.read(earlier.path)
        const mode = present?.mode ?? rows.list(earlier.path, 1)[0]?.mode ?? 0o644
        // A tab can read a file while the program still writes it, for example when it is empty.
        const before = mergeTime(earlier.path) > 0 ? null : { ...earlier, mode }
        return recorder.recordFile(earlier.path, { source: 'external' }, before)
      }),
    close: () => settle.cancel(),
  }
}
