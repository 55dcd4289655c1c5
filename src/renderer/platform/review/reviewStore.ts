import type { RequestParams } from '../../../shared/bridge/protocol.ts'
import { create } from 'zustand'
import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import { toFailure, type Failure } from '../../../shared/errors.ts'
import { locateLines } from '../../../shared/editor/locateLines.ts'
import { plural } from '../../../shared/text/plural.ts'
import type {
  ReviewComment,
  ReviewFile,
  ReviewOutcome,
  ReviewScope,
  ReviewSummary,
  ReviewTarget,
} from '../../../shared/review/review.ts'
import { onAppState } from '../appState.ts'
import { recordFirstKept } from '../firstKept.ts'
import { runCommand } from '../commands.ts'
import { on, request } from '../bridge/bridge.ts'
import { documents } from '../editor/documents/windowDocuments.ts'
import { useLayout, type DraftComment } from '../layout/layoutStore.ts'
import { notify } from '../notices.ts'
import { Delayer } from '../../../shared/async/delayer.ts'
import { Throttler } from '../../../shared/async/throttler.ts'

export interface ReviewState {
  /** Which changes the review view lists. */
  scope: ReviewScope
  /** Changes of `scope`; null until main has responded. */
  summary: ReviewSummary | null
  /** Why listing `scope` failed last time. */
  failure: Failure | null
  /** All changes that the user has neither kept nor undone. */
  pending: ReviewSummary
  /** Paths whose keep or undo waits until the running call ends. */
  queued: ReadonlySet<string>
}

export const noChanges: ReviewSummary = { files: [], added: 0, removed: 0, canRedo: false, canUndo: false }

export const emptyReview: ReviewState = {
  scope: { kind: 'pending' },
  summary: null,
  failure: null,
  pending: noChanges,
  queued: new Set(),
}

export const useReview = create<ReviewState>(() => emptyReview)

/** Identifies a scope, for example as a map key. */
export function scopeKey(scope: ReviewScope): string {
  switch (scope.kind) {
    case 'pending':
      return 'pending'
    case 'turn':
    case 'since':
      return `${scope.kind}:${scope.conversation}:${scope.message}`
    case 'conversation':
      return `conversation:${scope.conversation}`
    case 'checkpoint':
      return `checkpoint:${scope.checkpoint}`
  }
}

/**
 * Whether there are changes to keep. Changes since a checkpoint also include the user's changes and kept ones.
 * @param path default: any file
 */
export function canKeep(
  scope: ReviewScope,
  path?: string,
  { pending }: Pick<ReviewState, 'pending'> = useReview.getState(),
): boolean {
  if (scope.kind !== 'checkpoint') return true
  return pending.files.some((file) => path === undefined || file.path === path)
}

/** Milliseconds to wait for more changes before requesting the lists again. */
const settleMs = 120
/** Minimum milliseconds between two requests during continuous changes, for example while the user types. */
const minInterval = 600

const loads = new Throttler()
const loadLater = new Delayer(refreshChanged)
/** When the lists were loaded, and the files that changed since they were requested; null if others may have too. */
const lists = { loadedAt: Number.NEGATIVE_INFINITY, changed: null as Set<string> | null }

/** Requests the pending changes and the view's scope. Requests run one at a time. */
export function refreshReview(): Promise<void> {
  lists.changed = null
  return refreshChanged()
}

function refreshChanged(): Promise<void> {
  loadLater.cancel()
  return loads.queue(async () => {
    const { changed } = lists
    lists.changed = new Set()
    await loadLists(useReview.getState().scope, changed)
    lists.loadedAt = performance.now()
  })
}

/** Returns the pending changes, including those that main has reported since the last request. */
export async function latestPending(): Promise<ReviewSummary> {
  if (loadLater.isWaiting || loads.running) await refreshChanged()
  return useReview.getState().pending
}

/** Maximum number of files to list individually. */
const maxPartial = 20

/**
 * Requests a list. If only listed files have changed, requests only these, so that typing in one file does not list all
 * others again.
 */
async function listAgain(
  before: ReviewSummary | null,
  scope: ReviewScope,
  changed: ReadonlySet<string> | null,
): Promise<ReviewSummary> {
  const isPlain = ({ path, renamedFrom }: ReviewFile) => changed?.has(path) === true && renamedFrom === undefined
  if (before && changed && changed.size <= maxPartial && before.files.filter(isPlain).length === changed.size) {
    const part = await request('review.list', { scope, paths: [...changed] })
    const now = new Map(part.files.filter(isPlain).map((file) => [file.path, file]))
    if (now.size === changed.size) {
      const files = before.files.map((file) => now.get(file.path) ?? file)
      const sum = (count: (file: ReviewFile) => number) => files.reduce((total, file) => total + count(file), 0)
      return reuseUnchangedFiles(before, {
        ...part,
        files,
        added: sum(({ added }) => added),
        removed: sum(({ removed }) => removed),
      })
    }
  }
  return reuseUnchangedFiles(before, await request('review.list', { scope }))
}

async function loadLists(scope: ReviewScope, changed: ReadonlySet<string> | null): Promise<void> {
  try {
    const before = useReview.getState()
    const pending = await listAgain(before.pending, { kind: 'pending' }, changed)
    const summary = scope.kind === 'pending' ? pending : await listAgain(before.summary, scope, changed)
    const now = useReview.getState()
    // The user can choose another scope while main answers.
    if (now.scope !== scope) void refreshReview()
    const shown = now.scope === scope ? { summary, failure: null } : {}
    if (now.pending !== pending || (now.scope === scope && (now.summary !== summary || now.failure !== null)))
      useReview.setState({ pending, ...shown })
  } catch (error) {
    lists.changed = null
    if (useReview.getState().scope === scope) useReview.setState({ failure: toFailure(error) })
  }
}

/**
 * Returns the new list, reusing the objects of unchanged files so that their rows do not render again; the old list if
 * nothing changed.
 */
export function reuseUnchangedFiles(before: ReviewSummary | null, now: ReviewSummary): ReviewSummary {
  if (before === null) return now
  const known = new Map(before.files.map((file) => [file.path, file]))
  const files = now.files.map((file) => {
    const earlier = known.get(file.path)
    return earlier && isSame(earlier, file) ? earlier : file
  })
  const sameFiles = files.length === before.files.length && files.every((file, index) => file === before.files[index])
  const merged = { ...now, files: sameFiles ? before.files : files }
  return isSame(before, merged) ? before : merged
}

function isSame<T extends object>(one: T, other: T): boolean {
  const fields = Object.entries(one)
  const others = new Map<string, unknown>(Object.entries(other))
  return (
    fields.length === others.size &&
    fields.every(([name, value]: [string, unknown]) => {
      const second = others.get(name)
      return value === second || (name === 'mode' && JSON.stringify(value) === JSON.stringify(second))
    })
  )
}

export function setScope(scope: ReviewScope): void {
  if (scopeKey(scope) === scopeKey(useReview.getState().scope)) return
  useReview.setState({ scope, summary: null, failure: null })
  void refreshReview()
}

/** Paths that are kept when the running call ends. */
const queuedKeeps = new Set<string>()

/** @param paths changed files; null after all queued actions. Main reports the kept files before that. */
function endQueuedKeeps(paths: readonly string[] | null): void {
  if (paths === null) return queuedKeeps.clear()
  const kept = paths.filter((path) => queuedKeeps.delete(path))
  if (kept.length > 0) recordFirstKept()
}

/** Keeps the lists current. @returns a function that stops it */
export function followReview(): () => void {
  let root: string | null = null
  const stops = [
    onAppState(({ workspace }) => {
      const next = workspace?.root ?? null
      if (next !== root) {
        useReview.setState(emptyReview, true)
        queuedKeeps.clear()
      }
      root = next
      if (root !== null) void refreshReview()
    }),
    on('review.changed', ({ paths }) => {
      const { queued } = useReview.getState()
      if (queued.size > 0)
        useReview.setState({
          queued: paths === null ? new Set() : new Set([...queued].filter((path) => !paths.includes(path))),
        })
      endQueuedKeeps(paths)
      if (paths === null) lists.changed = null
      else for (const path of paths) lists.changed?.add(path)
      loadLater.start(Math.max(settleMs, lists.loadedAt + minInterval - performance.now()))
      moveComments(paths)
    }),
  ]
  return () => {
    loadLater.cancel()
    stops.forEach((stop) => stop())
  }
}

/** Returns the listed files of a scope; null if unknown. */
function listedFiles(scope: ReviewScope): readonly ReviewFile[] | null {
  const { scope: shown, summary, pending } = useReview.getState()
  if (summary && scopeKey(scope) === scopeKey(shown)) return summary.files
  return scope.kind === 'pending' ? pending.files : null
}

/** Limits a keep to the listed revisions, so that the user keeps only changes that they have seen. */
function asListed(scope: ReviewScope, targets: ReviewTarget[] | 'all'): ReviewTarget[] | 'all' {
  const files = listedFiles(scope)
  if (!files) return targets
  if (targets === 'all') {
    const keepable = files.filter(({ path }) => canKeep(scope, path))
    return keepable.length > 0 ? keepable.map(({ path, revision }) => ({ path, revision })) : 'all'
  }
  return targets.map((target) => {
    const revision = target.revision ?? files.find(({ path }) => path === target.path)?.revision
    return revision === undefined ? target : { ...target, revision }
  })
}

/**
 * Keeps or undoes changes. While a call is running, main applies the action after the call. Shows a notice for skipped
 * files and lists them again.
 * @throws Failure `conflict` if the only file has changed since it was listed
 */
export async function applyReview(
  action: 'keep' | 'undo',
  scope: ReviewScope,
  targets: ReviewTarget[] | 'all',
): Promise<ReviewOutcome> {
  const result = await (
    action === 'keep'
      ? request('review.keep', { scope, targets: asListed(scope, targets) })
      : request('review.undo', { scope, targets })
  ).catch((error: unknown) => {
    void refreshReview()
    throw error
  })
  if (result.skipped.length > 0) void refreshReview()
  if (result.queued) {
    const paths = (targets === 'all' ? (listedFiles(scope) ?? []) : targets).map(({ path }) => path)
    useReview.setState(({ queued }) => ({ queued: new Set([...queued, ...paths]) }))
    if (action === 'keep') for (const path of paths) queuedKeeps.add(path)
  }
  if (action === 'keep' && !result.queued && result.changed.length > 0) recordFirstKept()
  reportSkipped(action === 'keep' ? 'Not kept' : 'Not undone', result.skipped)
  return result
}

/** @param label what did not happen, for example `Not kept` */
function reportSkipped(label: string, skipped: ReviewOutcome['skipped']): void {
  const [first] = skipped
  if (!first) return
  if (skipped.length === 1) return notify('warning', `${label}: ${first.path}`, { detail: first.why })
  const shown = skipped.slice(0, 5).map(({ path, why }) => `${path}: ${why}`)
  notify('warning', `${label}: ${plural(skipped.length, 'file')}`, { detail: shown.join('\n') })
}

/** Undoes the last keep or undo. */
export async function revertReview(): Promise<void> {
  reportSkipped('Not reverted', (await request('review.revert', {})).skipped)
}

/** Repeats the action that `revertReview` undid. */
export async function redoReview(): Promise<void> {
  reportSkipped('Not repeated', (await request('review.redo', {})).skipped)
}

/** Shows the changes of a scope in the side bar. */
export function showReview(scope: ReviewScope): void {
  setScope(scope)
  runCommand('view.review')
}

const draftComments = (): readonly DraftComment[] => useLayout.getState().review.comments
const setComments = (comments: readonly DraftComment[]): void =>
  useLayout.setState(({ review }) => ({ review: { ...review, comments } }))

/** Adds a comment to send with the next message. It survives a reload. */
export function addComment(comment: ReviewComment): void {
  const id = Math.max(0, ...draftComments().map((each) => each.id)) + 1
  setComments([...draftComments(), { ...comment, id }])
}

export function removeComment(id: number): void {
  setComments(draftComments().filter((comment) => comment.id !== id))
}

/** Updates the lines of comments in open files after changes. Main does so for all files when they are sent. */
function moveComments(paths: readonly string[] | null): void {
  const moved = draftComments().map((comment) => {
    const text =
      comment.anchor && (paths === null || paths.includes(comment.path))
        ? documents.buffer(comment.path)?.text()
        : undefined
    const line = text === undefined ? null : locateLines(text, comment.anchor ?? [], comment.line)
    return line === null || line === comment.line ? comment : { ...comment, line }
  })
  if (moved.some((comment, index) => comment !== draftComments()[index])) setComments(moved)
}

/**
 * Sends the comments to the agent as one message, together with the user's text. Keeps them if main rejects the
 * message.
 * @param options `serverPrompt`: see `MessageContent`. The others are as in `conversations.send`
 */
export async function sendComments(
  conversation: string,
  text: string,
  options: Pick<RequestParams<'review.comment'>, 'serverPrompt' | 'steer' | 'interrupt'> = {},
): Promise<void> {
  const comments = draftComments()
  await request('review.comment', {
    conversation,
    comments: comments.map(({ path, line, text: comment, quote, anchor }) => ({
      path,
      line,
      text: comment,
      ...(quote && { quote }),
      ...(anchor && { anchor }),
    })),
    ...(text.trim() !== '' && { text }),
    ...options,
  })
  const sent = new Set(comments.map(({ id }) => id))
  setComments(draftComments().filter(({ id }) => !sent.has(id)))
}

/** Returns the pending changes of a file. */
export function pendingFile(path: string): ReviewFile | undefined {
  return useReview.getState().pending.files.find((file) => file.path === path)
}

/** Returns the scope of the latest turn of a conversation; null before its first message. */
export function latestTurn(
  conversation: string | undefined,
  items: readonly ConversationItem[],
): Extract<ReviewScope, { message: string }> | null {
  const message = items.findLast((item) => item.kind === 'user' && !item.steered && !item.nudge)
  return conversation !== undefined && message ? { kind: 'turn', conversation, message: message.id } : null
}
