import { ToolError } from '../../shared/errors.ts'
import type {
  ReviewCounts,
  ReviewFile,
  ReviewFileDetail,
  ReviewFileExcerpts,
  ReviewFileHunks,
  ReviewSummary,
} from '../../shared/review/review.ts'
import type { EntryChange } from './callChanges.ts'
import { turnsOfLayer, type FileReview } from './fileReview.ts'
import { isSettled, layerOf, type Layer } from './reviewLayer.ts'
import { textOf } from './reviewContent.ts'
import { describeLayer, locateHunks, type LayerDescription } from './layerDescription.ts'
import { excerptsOf } from './hunkExcerpts.ts'
import { layerSince } from './reviewedFiles.ts'
import { shortHash, withUnsaved, type ReviewState } from './reviewState.ts'
import type { ResolvedScope } from './reviewTypes.ts'
import { changesOfTurns, describeChanges, isUnchanged, withMergedTurns, type TurnChanges } from './turnChanges.ts'

const nothingToReview = (path: string): ToolError =>
  new ToolError('not_found', `"${path}" has no changes to review.`, 'Reload the list.')

const unsavedConflict =
  'The agent changed this file on disk while its tab had unsaved changes. Save or revert the tab to decide between them.'

/** Files that a call changed on disk while their tab had unsaved changes, with the turn. */
export type UnsavedConflicts = ReadonlyMap<string, EntryChange & { turn: string | null }>

/** Lists and describes the changes of scopes. */
export class ReviewLists {
  readonly #state: ReviewState
  readonly #conflicts: UnsavedConflicts

  constructor(state: ReviewState, conflicts: UnsavedConflicts) {
    this.#state = state
    this.#conflicts = conflicts
  }

  /** @param only limits the list to these files */
  async list(scope: ResolvedScope, only?: readonly string[]): Promise<ReviewSummary> {
    const paths = only?.filter((path) => this.#state.files.has(path)) ?? this.#state.files.paths()
    const files =
      scope.kind === 'checkpoint'
        ? (await this.#sinceCheckpoint(scope.checkpoint, only)).map(({ file, layer }) => describeLayer(file, layer))
        : scope.kind === 'turn'
          ? await this.#ofTurn(scope.turns, paths)
          : paths.flatMap((path) => this.#state.files.view(path, turnsOf(scope)) ?? [])
    for (const { path, turn } of this.#conflicts.values()) {
      if (only && !only.includes(path)) continue
      const inScope = scope.kind === 'pending' || ('turns' in scope && turn !== null && scope.turns.has(turn))
      const listed = files.findIndex((file) => file.path === path)
      const file = files[listed] ?? { path, change: 'changed', content: 'text', added: 0, removed: 0, hunks: 0 }
      if (listed >= 0) files[listed] = { ...file, problem: unsavedConflict }
      else if (inScope) files.push({ ...file, problem: unsavedConflict })
    }
    const actions = this.#state.deps.store.actions()
    const last = actions.findLast(({ undone }) => !undone)
    return {
      files: files
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
        .map((file) => ({ ...file, revision: this.#state.files.revision(file.path) })),
      added: files.reduce((sum, { added }) => sum + added, 0),
      removed: files.reduce((sum, { removed }) => sum + removed, 0),
      canUndo: last !== undefined,
      canRedo: actions.some(({ undone }) => undone),
      ...(last && { lastAction: last.label }),
    }
  }

  async countChanges(turns: ReadonlySet<string>): Promise<ReviewCounts | null> {
    const { files, added, removed } = await this.list({ kind: 'turn', turns })
    return files.length === 0 ? null : { files: files.length, added, removed }
  }

  async file(scope: ResolvedScope, path: string): Promise<ReviewFileDetail> {
    const found = await this.find(scope, path)
    const { end, layer } = found
    return {
      ...describeFound(scope, found),
      revision: this.#state.files.revision(path),
      baseText: textOf(layer.base),
      currentText: textOf(end.current),
      hunkList: locateHunks(end, layer, shortHash).map(({ view }) => view),
    }
  }

  async hunks(scope: ResolvedScope, path: string): Promise<ReviewFileHunks> {
    const found = await this.find(scope, path)
    return {
      ...describeFound(scope, found),
      revision: this.#state.files.revision(path),
      hunkList: locateHunks(found.end, found.layer, shortHash).map(({ view, baseLines }) => ({ ...view, baseLines })),
    }
  }

  async excerpts(scope: ResolvedScope, path: string): Promise<ReviewFileExcerpts> {
    const found = await this.find(scope, path)
    return {
      ...describeFound(scope, found),
      revision: this.#state.files.revision(path),
      excerpts: excerptsOf(textOf(found.end.current), locateHunks(found.end, found.layer, shortHash)),
    }
  }

  /** Returns a file with its changes in a scope. @throws ToolError `not_found` */
  async find(scope: ResolvedScope, path: string): Promise<FoundChanges> {
    if (scope.kind === 'checkpoint') {
      const found = (await this.#sinceCheckpoint(scope.checkpoint, [path]))[0]
      if (!found) throw nothingToReview(path)
      return { ...found, end: found.file }
    }
    const file = await this.#state.files.load(path)
    if (scope.kind === 'turn') {
      const changes = file && changesOfTurns(file, scope.turns)
      if (!file || !changes || isUnchanged(changes)) throw nothingToReview(path)
      return { file, ...changes }
    }
    const layer = file && layerSince(file, turnsOf(scope))
    if (!file || !layer || isSettled(layer, file)) throw nothingToReview(path)
    return { file, layer, end: file }
  }

  async #ofTurn(turns: ReadonlySet<string>, paths: readonly string[]): Promise<Omit<ReviewFile, 'revision'>[]> {
    const files = []
    for (const path of paths) {
      const view = await this.#state.files.turnView(path, turns)
      if (view) files.push(view)
    }
    return files
  }

  /** Compares the current files with a checkpoint. @param only limits the result to these files */
  async #sinceCheckpoint(checkpoint: number, only?: readonly string[]): Promise<{ file: FileReview; layer: Layer }[]> {
    const tree = await this.#state.deps.treeAt(checkpoint)
    const changes = await this.#state.deps.changesSince(checkpoint)
    const paths = changes.map(({ path }) => path).filter((path) => only === undefined || only.includes(path))
    const settled = paths.filter((path) => !this.#state.isChanging(path))
    const changing = paths.filter((path) => this.#state.isChanging(path))
    if (settled.length > 0) await this.#state.recordUser((await this.#state.folder.observe(settled)).changes)
    // Read without being recorded, because the end of the running call decides whose changes these are.
    const present = changing.length > 0 ? await this.#state.deps.scan(changing) : undefined
    const found = []
    for (const path of paths) {
      const entry = present && changing.includes(path) ? present.get(path) : this.#state.folder.entry(path)
      const onDisk = await this.#state.folder.contentOf(path, entry)
      const unsaved = this.#state.deps.unsaved(path)
      const current = unsaved === null ? onDisk : withUnsaved(onDisk, unsaved)
      const layer = layerOf(null, path, await this.#state.folder.contentOf(path, tree.get(path)), current)
      found.push({ file: { path, current, layers: [layer], newFolders: [] }, layer })
    }
    return found
  }
}

/** The changes to a file in a scope. */
export interface FoundChanges extends TurnChanges {
  file: FileReview
}

function describeFound(scope: ResolvedScope, found: FoundChanges): LayerDescription {
  const described = describeChanges(found.file, found)
  if (!('turns' in scope)) return described
  return withMergedTurns(described, turnsOfLayer(found.file, found.later?.own ?? found.layer), scope.turns)
}

function turnsOf(scope: Extract<ResolvedScope, { kind: 'pending' | 'turns' }>): ReadonlySet<string> | null {
  return scope.kind === 'turns' ? scope.turns : null
}
