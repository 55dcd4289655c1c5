import type { Entry, Tree } from '../history/checkpoints/entries.ts'
import { parentFolders } from '../base/parentFolders.ts'
import { entryChanges, findRenames, type EntryChange } from './callChanges.ts'
import { changeFile, isDormant, leftBehind, renameFile, startReview, startTurn, type FileReview } from './fileReview.ts'
import { layerOf, withGone } from './reviewLayer.ts'
import { missing, sameContent } from './reviewContent.ts'
import type { FolderState, Observation } from './folderState.ts'
import type { ReviewedFiles } from './reviewedFiles.ts'
import { withUnsaved } from './reviewState.ts'
import type { ReviewDeps } from './reviewTypes.ts'
import { findSimilarRenames } from './similarFiles.ts'

interface RecorderDeps {
  deps: Pick<ReviewDeps, 'unsaved' | 'ignored'>
  files: ReviewedFiles
  folder: FolderState
  /** Receives the paths of reviewed files that the user changed. */
  onUserChange(paths: string[]): void
}

/** Records changes to reviewed files, by an agent call or by the user. */
export class ChangeRecorder {
  /** Files that a call changed on disk while their tab had unsaved changes. */
  readonly conflicts = new Map<string, EntryChange & { turn: string | null }>()
  readonly #deps: Pick<ReviewDeps, 'unsaved' | 'ignored'>
  readonly #files: ReviewedFiles
  readonly #folder: FolderState
  readonly #onUserChange: (paths: string[]) => void

  constructor({ deps, files, folder, onUserChange }: RecorderDeps) {
    this.#deps = deps
    this.#files = files
    this.#folder = folder
    this.#onUserChange = onUserChange
  }

  /**
   * Drops paths ignored by git, such as build output, unless they are already under review. A restored checkpoint still
   * restores them.
   */
  async withoutIgnored({ changes, before }: Observation): Promise<Observation> {
    const unknown = changes.map(({ path }) => path).filter((path) => !this.#files.has(path))
    const ignored = unknown.length > 0 ? await this.#deps.ignored?.(unknown) : undefined
    return { before, changes: ignored ? changes.filter(({ path }) => !ignored.has(path)) : changes }
  }

  /** Finds renames: first of files with the same content, then of similar texts. @returns the old path by new path */
  async #renamesIn(changes: readonly EntryChange[]): Promise<Map<string, string>> {
    const exact = findRenames(changes)
    const known = new Set([...exact].flat())
    const others = changes.filter(({ path }) => !known.has(path) && this.#deps.unsaved(path) === null)
    const similar = await findSimilarRenames(others, async ({ path, ...entries }, which) => {
      const content = await this.#folder.contentOf(path, entries[which])
      return content.kind === 'text' ? content.text : null
    })
    return new Map([...exact, ...similar])
  }

  /** Records changes on disk as made by a call. @returns their paths */
  async recordCall({ changes, before }: Observation, turn: string | null): Promise<string[]> {
    const renames = await this.#renamesIn(changes)
    const moved = new Set<string>()
    for (const { path, after } of changes) {
      const from = renames.get(path)
      if (from === undefined) continue
      const known = await this.#files.load(path)
      if (known && !isDormant(known)) {
        // Already recorded before a kill.
        if (known.layers.some((layer) => layer.path === from)) moved.add(from)
        continue
      }
      const old =
        (await this.#files.load(from)) ?? startReview(from, await this.#folder.contentOf(from, before.get(from)))
      const now = await this.#folder.contentOf(path, after)
      this.#files.remove(from)
      const renamed = renameFile(changeFile(startTurn(old, turn), now, 'agent'), path)
      this.#files.put({ ...renamed, newFolders: newFoldersOf(path, before, old.newFolders) })
      this.#files.put(leftBehind(old))
      moved.add(path).add(from)
    }
    for (const { path, before: old, after } of changes) {
      if (moved.has(path)) continue
      if (this.#deps.unsaved(path) !== null) {
        this.conflicts.set(path, { path, before: old, after, turn })
        continue
      }
      this.conflicts.delete(path)
      const file = (await this.#files.load(path)) ?? startReview(path, await this.#folder.contentOf(path, old))
      const newFolders = old || !after ? file.newFolders : newFoldersOf(path, before)
      const now = await this.#folder.contentOf(path, after)
      await this.#put({ ...changeFile(startTurn(file, turn), now, 'agent'), newFolders })
    }
    return changes.map(({ path }) => path)
  }

  /** Records a call's change to a tab's unsaved text. */
  async recordText(
    path: string,
    before: string | null | undefined,
    after: string,
    turn: string | null,
  ): Promise<string[]> {
    const known = await this.#files.load(path)
    const onDisk = known?.current ?? (await this.#folder.contentOf(path, this.#folder.entry(path)))
    const base = typeof before === 'string' ? withUnsaved(onDisk, before) : onDisk
    // What the user typed before the call.
    const file = known ? changeFile(known, base, 'user') : startReview(path, base)
    this.#files.put(changeFile(startTurn(file, turn), withUnsaved(base, after), 'agent'))
    return [path]
  }

  async recordUser(changes: readonly EntryChange[]): Promise<void> {
    const paths = changes.map(({ path }) => path).filter((path) => this.#files.has(path))
    for (const path of paths) await this.followDisk(path)
    if (paths.length > 0) this.#onUserChange(paths)
  }

  /** Applies the current text of a reviewed file as a user edit. */
  async followDisk(path: string): Promise<void> {
    const file = await this.#files.load(path)
    if (!file) return
    const unsaved = this.#deps.unsaved(path)
    const now =
      unsaved === null
        ? await this.#folder.contentOf(path, this.#folder.entry(path))
        : withUnsaved(file.current, unsaved)
    if (!sameContent(file.current, now)) await this.#put(changeFile(file, now, 'user'))
    else await this.followRenamed(path)
  }

  /**
   * Stores the review of a file. A renamed file counts as created if its old path has the old content again, and as
   * deleted at its old path if it no longer exists.
   */
  async #put(file: FileReview): Promise<void> {
    const [pending] = file.layers
    const old = pending?.path ?? file.path
    // Paths that differ only in case can be the same file.
    if (!pending || old.toLowerCase() === file.path.toLowerCase()) return this.#files.put(file)
    const loaded = await this.#files.load(old)
    const there = loaded && !isDormant(loaded) ? loaded : undefined
    // Does not observe the path, because a running call may be changing it.
    const present = await this.#folder.contentOf(old, await this.#folder.read(old))
    const isDeleted = file.current.kind === 'missing'
    const isBack = present.kind !== 'missing' && sameContent(present, pending.base)
    const isSameFile = there?.layers.some((layer) => sameContent(layer.base, pending.base)) === true
    if (isDeleted && (there ? isSameFile : present.kind !== 'missing')) this.#files.put(leftBehind(file))
    else if (isDeleted && !there) {
      this.#files.put(leftBehind(file))
      const isElsewhere = this.#files.paths().some((path) => this.#files.view(path, null)?.renamedFrom === old)
      if (!isElsewhere) this.#files.put({ ...file, path: old })
    } else if (isBack && !there) {
      const layers = file.layers.map((layer) =>
        layer.path === old
          ? withGone(layerOf(layer.turn, file.path, missing, file.current), layer.text?.gone ?? [], layer.gone)
          : layer,
      )
      this.#files.put({ ...file, layers })
      // If it is deleted again, that is the agent's change.
      const deletion = withGone(layerOf(null, old, present, present), [], [{ base: present, current: missing }])
      if (!loaded) this.#files.put({ path: old, current: present, layers: [deletion], newFolders: [] })
    } else {
      if (isSameFile && there?.current.kind === 'missing' && present.kind === 'missing') this.#files.remove(old)
      this.#files.put(file)
    }
  }

  /** Compares the old path of a renamed file, which is not itself under review. */
  async followRenamed(path: string): Promise<void> {
    const old = this.#files.view(path, null)?.renamedFrom
    const file = old === undefined ? undefined : await this.#files.load(path)
    if (file) await this.#put(file)
  }

  /** Records a call's change once the tab shows it. Drops it if the user saved another text. */
  async resolveConflict(path: string): Promise<void> {
    const conflict = this.conflicts.get(path)
    this.conflicts.delete(path)
    const { before } = await this.#folder.observe([path])
    if (
      !conflict ||
      entryChanges(mapOf(path, conflict.after), mapOf(path, this.#folder.entry(path)), [path]).length > 0
    )
      return
    await this.recordCall({ changes: [conflict], before }, conflict.turn)
  }
}

/**
 * Returns the folders created with a file, innermost first.
 * @param earlier those created with it at another path
 */
function newFoldersOf(path: string, before: Tree, earlier: readonly string[] = []): string[] {
  const above = parentFolders(path)
    .toReversed()
    .filter((parent) => before.get(parent)?.kind !== 'folder' || earlier.includes(parent))
  return [...above, ...earlier.filter((folder) => !above.includes(folder))]
}

function mapOf(path: string, entry: Entry | undefined): Tree {
  return new Map(entry ? [[path, entry]] : [])
}
