import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import type { ReviewRowKind, ReviewRows } from '../history/storedReviewRows.ts'
import { noLongerStored, pruneRows } from './pruneReviews.ts'
import { type FileReview } from './fileReview.ts'
import { layerOf, withGone, type GoneChange, type Layer } from './reviewLayer.ts'
import type { Content } from './reviewContent.ts'
import {
  fileSchema,
  type StoredContent,
  type StoredContents,
  type StoredFile,
  type StoredReview,
} from './storedReview.ts'

/** Converts between file bytes and text. */
export interface TextCodec {
  /** @returns if the bytes are not text, the reason; `why` is absent for ordinary binary files */
  decode(content: Buffer, path: string): { text: string; format: TextFormat } | { why?: string }
  /** Decodes what `encode` returned. */
  decodeStored(content: Buffer, format: TextFormat): string
  /**
   * @param before bytes whose mixed line endings are kept in unchanged lines, if the format is the same
   * @returns the bytes, in UTF-8 if the format cannot represent the text
   */
  encode(text: string, format: TextFormat, before?: Buffer): { bytes: Buffer; format: TextFormat }
}

const callSchema = z.object({
  process: z.object({ pid: z.number(), start: z.string() }),
  turn: z.string().nullable(),
  /** Undefined if unknown. */
  paths: z.array(z.string()).optional(),
  /** State of these paths before the call. Rows of earlier versions only have the entries at the paths themselves. */
  before: z.object({ root: z.string().optional(), entries: z.record(z.string(), z.unknown()) }).optional(),
  /** Hashes of the text that unsaved tabs at these paths had before the call. */
  tabs: z.record(z.string(), z.string()).optional(),
})
/** A call that may change files, stored while it runs. */
export type StoredCall = z.output<typeof callSchema>

const queueSchema = z.object({
  /** Null if the process has closed the folder. */
  process: z.object({ pid: z.number(), start: z.string() }).nullable(),
  actions: z.array(
    z.object({
      kind: z.enum(['keep', 'undo']),
      scope: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('pending') }),
        z.object({ kind: z.enum(['turn', 'turns']), turns: z.array(z.string()) }),
        z.object({ kind: z.literal('checkpoint'), checkpoint: z.number() }),
      ]),
      targets: z.union([
        z.literal('all'),
        z.array(
          z.object({
            path: z.string(),
            hunks: z.array(z.string()).optional(),
            /** Hash of the file's review that the user saw. */
            seen: z.string().optional(),
          }),
        ),
      ]),
    }),
  ),
})
/** Keeps and undos that wait until a call has ended, stored in case the process ends first. */
export type StoredQueue = z.output<typeof queueSchema>

const runningSchema = z.object({
  process: z.object({ pid: z.number(), start: z.string() }),
  /** Which state of the files it writes. */
  to: z.enum(['before', 'after']),
})
/** The process that applies, reverts or repeats an action. */
export type RunningAction = z.output<typeof runningSchema>

const actionSchema = z.object({
  label: z.string(),
  undone: z.boolean(),
  files: z.array(z.object({ before: fileSchema, after: fileSchema })),
})
/** A keep or undo, with the reviews of its files before and after. */
export type StoredAction = z.output<typeof actionSchema>

/** The parts of an action needed for lists. Stored apart from the actions, whose files take long to parse. */
export interface ActionSummary {
  key: string
  label: string
  undone: boolean
  /** Set while it is being applied. */
  running?: RunningAction | undefined
}

const restoringSchema = z.object({
  process: z.object({ pid: z.number(), start: z.string() }),
  checkpoint: z.number(),
  before: z.number(),
})
/** A running restore of a checkpoint. */
export type StoredRestoring = z.output<typeof restoringSchema>

/** Maximum bytes on disk of a workspace's bases and reverted content. */
const maxStoredBytes = 200 * 1024 * 1024
const callPrefix = 'call/'
const queuePrefix = 'queue/'
const actionsKey = 'actions'
const restoringPrefix = 'restoring/'
const actionSummaries = z.array(
  z.object({ key: z.string(), label: z.string(), undone: z.boolean(), running: runningSchema.optional() }),
)
const maxActions = 50
const maxRestores = 20

/** The reviews of one workspace in the shared database. */
export interface ReviewStore {
  files(): StoredReview[]
  saveFile(path: string, review: StoredReview): void
  removeFile(path: string): void
  /** Actions that can be reverted or repeated, oldest first, without their files. */
  actions(): ActionSummary[]
  action(key: string): StoredAction | undefined
  /** Adds an action before it is applied. @returns its key */
  addAction(action: StoredAction, running?: RunningAction): string
  /** Sets the process that applies, reverts or repeats an action; undefined once done. */
  setRunning(key: string, running: RunningAction | undefined): void
  /**
   * Replaces an action with what was actually applied, and deletes the reverted ones. Without files, deletes the
   * action.
   */
  finishAction(key: string, action: StoredAction): void
  setUndone(key: string, undone: boolean): void
  /** Reviews at the time of a checkpoint. */
  restore(checkpoint: number): StoredFile[] | undefined
  saveRestore(checkpoint: number, files: StoredFile[]): void
  state(key: string): unknown
  setState(key: string, value: unknown): void
  /** Running restores of all processes, and those interrupted by a kill. */
  restorings(): { key: string; restoring: StoredRestoring }[]
  setRestoring(key: string, restoring: StoredRestoring | undefined): void
  /** Makes several changes in one transaction. */
  inTransaction(act: () => void): void
  /** Running calls of all processes, and those interrupted by a kill, earliest first. */
  calls(): { key: string; call: StoredCall }[]
  addCall(key: string, call: StoredCall): void
  removeCall(key: string): void
  /** Waiting actions of all processes, including dead ones. */
  queues(): { key: string; queue: StoredQueue }[]
  setQueue(key: string, queue: StoredQueue | undefined): void
  pack(file: FileReview): Promise<StoredFile>
  unpack(file: StoredFile): Promise<FileReview>
  bytesOf(content: Content): Promise<Buffer>
  /** Deletes the oldest data beyond the size limit. @returns paths whose bases were deleted */
  prune(): Promise<string[]>
}

interface ReviewStoreDeps {
  rows: ReviewRows
  contents: StoredContents
  codec: TextCodec
  /** Size limit of a stored text. Tests set it. */
  maxBytes?: number
}

// oxlint-disable-next-line eslint/max-lines-per-function -- Reads and writes of one store.
export function createReviewStore({ rows, contents, codec, maxBytes = maxStoredBytes }: ReviewStoreDeps): ReviewStore {
  const set = (kind: ReviewRowKind, key: string, value: unknown) => rows.set(kind, key, JSON.stringify(value))
  const parse = (json: string | undefined) => (json === undefined ? undefined : (JSON.parse(json) as unknown))

  const withPrefix = (prefix: string) =>
    rows
      .all('state')
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ key, at, json }) => ({ key: key.slice(prefix.length), at, value: parse(json) }))

  const { pack, unpack, packGone, unpackGone, encoded } = createContentPacking({ contents, codec })
  const store: ReviewStore = {
    // This store wrote the rows.
    files: () => rows.all('file').map(({ json }) => JSON.parse(json) as StoredReview),
    saveFile: (path, review) => set('file', path, review),
    removeFile: (path) => rows.remove('file', path),
    actions() {
      const known = actionSummaries.safeParse(store.state(actionsKey))
      if (known.success) return known.data
      const read = rows.all('action').map(({ key, json }) => {
        const { label, undone } = actionSchema.parse(parse(json))
        return { key, label, undone }
      })
      store.setState(actionsKey, read)
      return read
    },
    action(key) {
      const json = rows.get('action', key)
      return json === undefined ? undefined : actionSchema.parse(parse(json))
    },
    addAction(action, running) {
      const known = store.actions()
      const key = String(Number(known.at(-1)?.key ?? 0) + 1).padStart(12, '0')
      set('action', key, action)
      store.setState(actionsKey, [...known, { key, label: action.label, undone: action.undone, running }])
      return key
    },
    finishAction(key, action) {
      const isDone = action.files.length > 0
      const others = store.actions().filter((each) => each.key !== key)
      const kept = isDone ? others.filter(({ undone }) => !undone).slice(-(maxActions - 1)) : others
      for (const old of others) if (!kept.includes(old)) rows.remove('action', old.key)
      if (isDone) set('action', key, action)
      else rows.remove('action', key)
      const summary = { key, label: action.label, undone: action.undone }
      store.setState(actionsKey, isDone ? [...kept, summary] : kept)
    },
    setRunning(key, running) {
      store.setState(
        actionsKey,
        store.actions().map((each) => (each.key === key ? { ...each, running } : each)),
      )
    },
    setUndone(key, undone) {
      const action = store.action(key)
      if (!action) return
      set('action', key, { ...action, undone })
      store.setState(
        actionsKey,
        store.actions().map((each) => (each.key === key ? { ...each, undone } : each)),
      )
    },
    restore: (checkpoint) =>
      z
        .array(fileSchema)
        .optional()
        .parse(parse(rows.get('restore', String(checkpoint)))),
    saveRestore(checkpoint, files) {
      set('restore', String(checkpoint), files)
      const old = rows.all('restore').toSorted((a, b) => Number(b.key) - Number(a.key))
      for (const { key } of old.slice(maxRestores)) rows.remove('restore', key)
    },
    state: (key) => parse(rows.get('state', key)),
    setState: (key, value) => (value === undefined ? rows.remove('state', key) : set('state', key, value)),
    restorings: () =>
      withPrefix(restoringPrefix).map(({ key, value }) => ({ key, restoring: restoringSchema.parse(value) })),
    setRestoring: (key, restoring) => store.setState(restoringPrefix + key, restoring),
    inTransaction: rows.inTransaction,
    calls: () =>
      withPrefix(callPrefix)
        .toSorted((a, b) => a.at - b.at)
        .map(({ key, value }) => ({ key, call: callSchema.parse(value) })),
    addCall: (key, call) => set('state', callPrefix + key, call),
    removeCall: (key) => rows.remove('state', callPrefix + key),
    queues: () => withPrefix(queuePrefix).map(({ key, value }) => ({ key, queue: queueSchema.parse(value) })),
    setQueue: (key, queue) => store.setState(queuePrefix + key, queue),
    async pack(file) {
      const layers = []
      for (const layer of file.layers) {
        const { turn, path, base } = layer
        const gone = await packGone(layer)
        layers.push({ turn, path, base: await pack(base), ...(gone && { gone }) })
      }
      const { path, newFolders, current, merged } = file
      return { path, newFolders, current: await pack(current), layers, ...(merged && { merged: [...merged] }) }
    },
    async unpack({ path, newFolders, current: packed, layers: packedLayers, merged }) {
      const current = await unpack(packed)
      const layers = []
      for (const { turn, path: from, base, gone } of packedLayers) {
        const layer = layerOf(turn, from, await unpack(base), current)
        layers.push(gone ? withGone(layer, gone.lines, await unpackGone(gone)) : layer)
      }
      return { path, newFolders, current, layers, merged }
    },
    async bytesOf(content) {
      if (content.kind === 'text' && content.hash === undefined) return (await encoded(content)).bytes
      if (content.kind === 'text' || content.kind === 'binary') return contents.get(content.hash ?? '')
      throw new ToolError('not_found', 'This version of the file is no longer stored.')
    },
    async prune() {
      const evicted = await pruneRows(rows, contents, maxBytes)
      if (evicted.removedActions) store.setState(actionsKey, undefined)
      return evicted.files
    },
  }
  return store
}

/** Converts file content to its stored form and back. */
function createContentPacking({ contents, codec }: Pick<ReviewStoreDeps, 'contents' | 'codec'>) {
  async function pack(content: Content): Promise<StoredContent> {
    if (content.kind !== 'text') return content
    const { hash: stored, mode } = content
    if (stored !== undefined) return { kind: 'text', hash: stored, format: content.format, mode }
    const { bytes, format: as } = await encoded(content)
    const key = await hashOf(bytes)
    await contents.put(key, bytes)
    content.hash = key
    return { kind: 'text', hash: key, format: as, mode }
  }

  async function encoded({
    text,
    format: as,
    from,
  }: Extract<Content, { kind: 'text' }>): Promise<ReturnType<TextCodec['encode']>> {
    const before = from === undefined ? undefined : await contents.get(from).catch(() => undefined)
    return codec.encode(text, as, before)
  }

  async function unpack(content: StoredContent): Promise<Content> {
    if (content.kind !== 'text') return content
    try {
      return { ...content, text: codec.decodeStored(await contents.get(content.hash), content.format) }
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      return { kind: 'unknown', why: error.code === 'not_found' ? noLongerStored : error.message }
    }
  }

  async function packGone({ text, gone = [] }: Layer): Promise<StoredFile['layers'][number]['gone']> {
    const lines = [...(text?.gone ?? [])]
    if (lines.length === 0 && gone.length === 0) return undefined
    const contents = []
    for (const { base, current, path } of gone)
      contents.push({ base: await pack(base), current: await pack(current), ...(path !== undefined && { path }) })
    return { lines, contents }
  }

  async function unpackGone({
    contents: stored,
  }: NonNullable<StoredFile['layers'][number]['gone']>): Promise<GoneChange[]> {
    const gone: GoneChange[] = []
    for (const { base, current, path: from } of stored)
      gone.push({ base: await unpack(base), current: await unpack(current), path: from })
    return gone.filter(({ base, current }) => base.kind !== 'unknown' && current.kind !== 'unknown')
  }

  return { pack, unpack, packGone, unpackGone, encoded }
}

/** Number of bytes hashed before yielding to other work; takes about a millisecond. */
const hashChunk = 1024 * 1024

async function hashOf(bytes: Buffer): Promise<string> {
  const digest = createHash('sha256')
  for (let at = 0; at < bytes.length; at += hashChunk) {
    if (at > 0) await nextTurn()
    digest.update(bytes.subarray(at, at + hashChunk))
  }
  return digest.digest('hex')
}
