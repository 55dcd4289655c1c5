import { ToolError } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import type { ReviewOutcome, ReviewTarget } from '../../shared/review/review.ts'
import { thisProcess } from '../base/processIdentity.ts'
import { applyContent } from './applyContent.ts'
import { keptFile, leftBehind, undoneContent, undoneFile, type FileReview } from './fileReview.ts'
import { isSettled, type Layer } from './reviewLayer.ts'
import { sameContent, type Content } from './reviewContent.ts'
import { locateHunks } from './layerDescription.ts'
import { revertedFile } from './revertKeepOrUndo.ts'
import type { FoundChanges, ReviewLists } from './reviewLists.ts'
import { shortHash, withUnsaved, type ReviewState } from './reviewState.ts'
import type { StoredAction } from './reviewStore.ts'
import type { StoredFile } from './storedReview.ts'
import type { ResolvedScope } from './reviewTypes.ts'
import { hunksWithin, type Hunk } from './textReview.ts'
import { keptTurn, undoneTurn } from './turnChanges.ts'
import type { UndoNotes } from './undoNotes.ts'

const staleMessage = 'It has changed since you saw it, so nothing was overwritten. Review it again.'

export interface SeenTarget extends Omit<ReviewTarget, 'hunks'> {
  hunks?: string[] | undefined
  /** Hash of the file's review that the user saw, valid across processes. */
  seen?: string | undefined
}

/** A keep or undo that waits while a call is running. */
export interface QueuedAction {
  kind: 'keep' | 'undo'
  scope: ResolvedScope
  targets: readonly SeenTarget[] | 'all'
}

/** @throws ToolError `conflict` if earlier changes that are not kept touch the same lines */
function keptChanges({ file, layer, ...changes }: FoundChanges, hunks: ReadonlySet<Hunk> | undefined): FileReview {
  if (layer === file.layers[0]) return keptFile(file, layer, hunks)
  const next = keptTurn(file, { layer, ...changes }, hunks)
  if (next) return next
  throw new ToolError('conflict', 'Earlier changes to the same lines are not kept yet. Keep those first.')
}

/** The result of a keep or undo of a file, before it is applied. */
interface PlannedChange {
  next: FileReview
  /** Content to write to disk. */
  to?: { path: string; content: Content } | undefined
  /** Whether the undone changes are not under review, because they are those since a checkpoint. */
  untracked?: boolean
}

interface Plan extends PlannedChange {
  file: FileReview
  /** Path of the target. */
  path: string
  /** Number of selected hunks; 0 for a whole file. */
  hunks: number
  stored: StoredAction['files'][number]
}

/** @throws ToolError `conflict` if later changes touch the same lines */
function plannedUndo(
  scope: ResolvedScope,
  { file, layer, ...changes }: FoundChanges,
  hunks: ReadonlySet<Hunk> | undefined,
): PlannedChange {
  if (changes.later) {
    const next = undoneTurn(file, { layer, ...changes }, hunks)
    if (!next)
      throw new ToolError(
        'conflict',
        'Later changes touch the same lines, so nothing was overwritten. Undo those first, or all changes since this turn.',
      )
    const writes = !sameContent(file.current, next.current) || next.path !== file.path
    return { next, to: writes ? { path: next.path, content: next.current } : undefined }
  }
  const content = undoneContent(file, layer, hunks)
  const path = hunks ? undefined : layer.path
  const to = { path: path ?? file.path, content }
  if (scope.kind === 'checkpoint') return { next: { ...file, current: content, layers: [] }, to, untracked: true }
  return { next: undoneFile(file, layer, content, path), to }
}

/** Adds a failure to the outcome. @throws errors that are not ToolErrors */
function skip({ skipped }: ReviewOutcome, path: string, error: unknown): void {
  if (!(error instanceof ToolError)) throw error
  skipped.push({ path, why: error.message })
}

/** Keeps, undoes and reverts changes. */
export class ReviewActions {
  readonly #state: ReviewState
  readonly #lists: ReviewLists
  readonly #notes: UndoNotes

  constructor(state: ReviewState, lists: ReviewLists, notes: UndoNotes) {
    this.#state = state
    this.#lists = lists
    this.#notes = notes
  }

  /** Limits a keep to what the user sees now, because the running call may change more before it is applied. */
  async asSeen(action: QueuedAction): Promise<QueuedAction> {
    if (action.kind !== 'keep') return action
    const targets: readonly ReviewTarget[] =
      action.targets === 'all'
        ? (await this.#lists.list(action.scope)).files.map(({ path }) => ({ path }))
        : action.targets
    const seen: SeenTarget[] = []
    for (const target of targets) {
      const revision = target.revision ?? this.#state.files.revision(target.path)
      seen.push(target.hunks ? target : { ...target, revision, seen: await this.#hashOf(target.path) })
    }
    return { ...action, targets: seen }
  }

  /** Returns a hash of the review of a file. */
  async #hashOf(path: string): Promise<string | undefined> {
    const file = await this.#state.files.load(path)
    return file && shortHash(JSON.stringify(await this.#state.deps.store.pack(file)))
  }

  /** Keeps or undoes targets now. @throws ToolError `conflict` if the only target has changed since its revision */
  async act({ kind, scope, targets }: QueuedAction): Promise<ReviewOutcome> {
    const wanted =
      targets === 'all' ? (await this.#lists.list(scope)).files.map(({ path }): ReviewTarget => ({ path })) : targets
    const outcome: ReviewOutcome = { changed: [], skipped: [] }
    const planned: Plan[] = []
    for (const { target, found } of await this.#inOrder(scope, wanted, kind, outcome)) {
      try {
        const hunks = target.hunks && this.#selected(found, target)
        // The changes since a checkpoint include the user's own, which need no keep.
        const pending = kind === 'keep' && scope.kind === 'checkpoint' ? await this.#pendingIn(found, hunks) : null
        if (pending?.next === null) {
          if (targets !== 'all') throw new ToolError('no_change', 'All of its changes here are already kept.')
          continue
        }
        const file = pending?.file ?? found.file
        const plan =
          kind === 'undo' ? plannedUndo(scope, found, hunks) : { next: pending?.next ?? keptChanges(found, hunks) }
        const before = await this.#state.deps.store.pack(file)
        const after = await this.#state.deps.store.pack(plan.next)
        planned.push({ ...plan, file, path: target.path, hunks: hunks?.size ?? 0, stored: { before, after } })
      } catch (error) {
        skip(outcome, target.path, error)
      }
    }
    await this.#carryOut(kind, planned, outcome)
    const [only] = wanted
    const [refused] = outcome.skipped
    if (wanted.length === 1 && only?.revision !== undefined && refused?.why === staleMessage)
      throw new ToolError('conflict', refused.why)
    return outcome
  }

  /** Returns the files to act on. Deletions come first, so that a file can replace a folder. */
  async #inOrder(
    scope: ResolvedScope,
    targets: readonly SeenTarget[],
    kind: QueuedAction['kind'],
    outcome: ReviewOutcome,
  ): Promise<{ target: ReviewTarget; found: FoundChanges }[]> {
    const all = []
    for (const target of targets) {
      try {
        const found = await this.#lists.find(scope, target.path)
        const known = target.revision === undefined ? target.seen : target.revision
        if (
          known !== undefined &&
          known !==
            (typeof known === 'number' ? this.#state.files.revision(target.path) : await this.#hashOf(target.path))
        )
          throw new ToolError('conflict', staleMessage)
        all.push({ target, found })
      } catch (error) {
        skip(outcome, target.path, error)
      }
    }
    const deletesFirst = (layer: Layer) => (kind === 'undo' && layer.base.kind === 'missing' ? 0 : 1)
    return all.toSorted((a, b) => deletesFirst(a.found.layer) - deletesFirst(b.found.layer))
  }

  /** Keeps the pending changes among a file's changes since a checkpoint. `next`: null if there are none. */
  async #pendingIn(
    { layer: since }: FoundChanges,
    hunks: ReadonlySet<Hunk> | undefined,
  ): Promise<{ file: FileReview; next: FileReview | null } | { file?: undefined; next: null }> {
    const file = await this.#state.files.load(since.path)
    const [pending] = file?.layers ?? []
    if (!file || !pending || isSettled(pending, file)) return { next: null }
    if (!pending.text || !since.text) return { file, next: hunks ? null : keptFile(file, pending) }
    const within = hunksWithin(pending.text, [...(hunks ?? since.text.hunks)])
    if (!hunks && within.size === pending.text.hunks.length) return { file, next: keptFile(file, pending) }
    return { file, next: within.size === 0 ? null : keptFile(file, pending, within) }
  }

  #selected({ end, layer }: FoundChanges, { hunks }: ReviewTarget): Set<Hunk> {
    const located = new Map(locateHunks(end, layer, shortHash).map(({ view, hunk }) => [view.id, hunk]))
    return new Set(
      (hunks ?? []).map((id) => {
        const hunk = located.get(id)
        if (!hunk) throw new ToolError('conflict', staleMessage)
        return hunk
      }),
    )
  }

  /** Applies a keep or undo. Stores the action first, so that it can be reverted if a kill interrupts it. */
  async #carryOut(kind: QueuedAction['kind'], planned: readonly Plan[], outcome: ReviewOutcome): Promise<void> {
    if (planned.length === 0) return
    const actionOf = (plans: readonly Plan[]): StoredAction => ({
      label: `${kind === 'keep' ? 'Keep' : 'Undo'} ${plural(plans.length, 'file')}`,
      undone: false,
      files: plans.map(({ stored }) => stored),
    })
    const { store, onChanged } = this.#state.deps
    const key = store.addAction(actionOf(planned), { process: thisProcess(), to: 'after' })
    const done: Plan[] = []
    for (const plan of planned) {
      try {
        if (kind === 'keep') this.#state.files.put(plan.next)
        else await this.#undo(plan)
        done.push(plan)
        outcome.changed.push(plan.path)
      } catch (error) {
        skip(outcome, plan.path, error)
      }
    }
    await this.#state.save()
    store.finishAction(key, actionOf(done))
    if (done.length === 0) return
    onChanged([...new Set(done.flatMap(({ stored: { before, after } }) => [before.path, after.path]))])
  }

  async #undo({ file, next, to, untracked, hunks }: Plan): Promise<void> {
    if (to) await this.#apply(file, to)
    if (untracked) await this.#state.recordUser([{ path: file.path }])
    else {
      this.#state.files.remove(file.path)
      this.#state.files.put(next)
      if (next.path !== file.path) this.#state.files.put(leftBehind(file))
    }
    this.#notes.add(file, hunks)
  }

  /** Writes content, then reads what is on disk. */
  async #apply(file: FileReview, to: { path: string; content: Content }): Promise<void> {
    const { store, target, unsaved } = this.#state.deps
    const deps = { target, bytesOf: store.bytesOf, hasUnsaved: (path: string) => unsaved(path) !== null }
    const { changes } = await this.#state.folder.observe([file.path])
    await this.#state.followDisk(file.path)
    if (changes.length > 0) throw new ToolError('conflict', staleMessage)
    await applyContent(deps, { path: file.path, content: file.current }, to, file.newFolders)
    await this.#state.folder.observe([...new Set([file.path, to.path])])
  }

  /**
   * Reverts the last action, or repeats the last reverted one.
   * @throws ToolError `not_found` if there is none
   */
  async revert(again: boolean): Promise<ReviewOutcome> {
    const { store } = this.#state.deps
    const actions = store.actions()
    const summary = again ? actions.find(({ undone }) => undone) : actions.findLast(({ undone }) => !undone)
    const found = summary && store.action(summary.key)
    if (!summary || !found)
      throw new ToolError('not_found', again ? 'There is nothing to redo.' : 'There is nothing to undo.')
    const outcome: ReviewOutcome = { changed: [], skipped: [] }
    store.setRunning(summary.key, { process: thisProcess(), to: again ? 'after' : 'before' })
    const moves = await Promise.all(
      found.files.map(async ({ before, after }) => {
        const [from, to] = again ? [before, after] : [after, before]
        return { from: await store.unpack(from), to: await store.unpack(to) }
      }),
    )
    // Deletions come first, so that a file can replace a folder.
    const deletesFirst = ({ to }: (typeof moves)[number]) => (to.current.kind === 'missing' ? 0 : 1)
    for (const { from, to } of moves.toSorted((a, b) => deletesFirst(a) - deletesFirst(b))) {
      try {
        await this.#revertFile(from, to)
        if (!again && !sameContent(from.current, to.current)) this.#notes.remove(to.path)
        outcome.changed.push(to.path)
      } catch (error) {
        skip(outcome, to.path, error)
      }
    }
    await this.#state.save()
    store.inTransaction(() => {
      store.setRunning(summary.key, undefined)
      if (outcome.changed.length > 0 || outcome.skipped.length === 0) store.setUndone(summary.key, !again)
    })
    this.#state.deps.onChanged(outcome.changed)
    return outcome
  }

  async #revertFile(from: FileReview, to: FileReview): Promise<void> {
    await this.#state.folder.observe([...new Set([from.path, to.path])])
    await this.#state.followDisk(from.path)
    const onDisk = await this.#state.folder.contentOf(from.path, this.#state.folder.entry(from.path))
    const unsaved = this.#state.deps.unsaved(from.path)
    const now = (await this.#state.files.load(from.path)) ?? {
      path: from.path,
      newFolders: from.newFolders,
      current: unsaved === null ? onDisk : withUnsaved(onDisk, unsaved),
      layers: [],
    }
    const next = revertedFile(now, from, to)
    if (!next) throw new ToolError('conflict', 'The same lines have changed since, so nothing was overwritten.')
    if (!sameContent(now.current, next.current) || now.path !== next.path)
      await this.#apply(now, { path: next.path, content: next.current })
    this.#state.files.remove(now.path)
    if (next.layers.length > 0) this.#state.files.put(next)
    if (next.path !== now.path) this.#state.files.put(leftBehind(now))
  }

  /** Stores an action so that it can be reverted. */
  async #acted(label: string, files: StoredAction['files']): Promise<void> {
    if (files.length === 0) return
    const action = { label, undone: false, files }
    const { store } = this.#state.deps
    store.finishAction(store.addAction(action), action)
    await this.#state.save()
    this.#state.deps.onChanged([...new Set(files.flatMap(({ before, after }) => [before.path, after.path]))])
  }

  /** Runs an undo of an earlier edit as an action that can be reverted. */
  async undoEdit(undo: () => Promise<string[]>): Promise<string[]> {
    const paths = await undo()
    const before = await this.#packed(paths)
    await this.#state.recordUser((await this.#state.folder.observe(paths)).changes)
    for (const path of paths) await this.#state.followDisk(path)
    const after = await this.#packed(paths)
    const files = [...before].flatMap(([path, old]) => {
      const now = after.get(path)
      return now ? [{ before: old, after: now }] : []
    })
    await this.#acted('Undo edit', files)
    return paths
  }

  async #packed(paths: readonly string[]): Promise<Map<string, StoredFile>> {
    const packed = new Map<string, StoredFile>()
    for (const path of paths) {
      const file = await this.#state.files.load(path)
      const current = file?.current ?? (await this.#state.folder.contentOf(path, this.#state.folder.entry(path)))
      packed.set(path, await this.#state.deps.store.pack(file ?? { path, current, layers: [], newFolders: [] }))
    }
    return packed
  }
}
