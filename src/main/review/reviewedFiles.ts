import { randomUUID } from 'node:crypto'
import type { Entry } from '../history/checkpoints/entries.ts'
import { isDormant, pruneLayers, turnsOfLayer, type FileReview } from './fileReview.ts'
import { isSettled } from './reviewLayer.ts'
import { describeLayer, type LayerDescription } from './layerDescription.ts'
import { describeTurn, withMergedTurns } from './turnChanges.ts'
import type { ReviewStore } from './reviewStore.ts'
import type { LayerView, StoredFile, StoredReview } from './storedReview.ts'

interface Entered {
  /** As last stored; absent if never stored. */
  stored?: StoredReview
  /** Absent until a text is needed. */
  file?: FileReview
  revision: number
}

/** The files under review. Text is loaded on demand. */
export interface ReviewedFiles {
  paths(): string[]
  has(path: string): boolean
  /** Returns a file's review with its text. */
  load(path: string): Promise<FileReview | undefined>
  /** Replaces the review of a file, or removes it if nothing remains to review. */
  put(file: FileReview): void
  remove(path: string): void
  revision(path: string): number
  /** Describes the changes since the first of these turns that changed the file; undefined if there are none. */
  view(path: string, turns: ReadonlySet<string> | null): LayerDescription | undefined
  /** Describes only the changes in these turns; undefined if there are none. */
  turnView(path: string, turns: ReadonlySet<string>): Promise<LayerDescription | undefined>
  /** Entries on disk when stored, by path. */
  storedEntries(): Map<string, Entry>
  /** Loads what another process has stored since the last time. @returns whether there was anything */
  reload(): boolean
  /** Stores what has changed since the last time. */
  save(entryOf: (path: string) => Entry | undefined): Promise<void>
  packed(): Promise<StoredFile[]>
}

/** Maximum number of stored files whose text stays in memory. */
const maxLoaded = 50
/** Maximum number of files with nothing to review except changes that can return. */
const maxDormant = 1000

// oxlint-disable-next-line eslint/max-lines-per-function -- One state: the reviewed files.
export function createReviewedFiles(store: ReviewStore): ReviewedFiles {
  const entries = new Map<string, Entered>()
  const unsaved = new Set<string>()
  let lastRevision = 0
  let version = store.state('version')
  read()

  function read(): void {
    for (const stored of store.files())
      if (!unsaved.has(stored.file.path)) entries.set(stored.file.path, { stored, revision: (lastRevision += 1) })
  }

  async function load(path: string): Promise<FileReview | undefined> {
    const entered = entries.get(path)
    if (entered && !entered.file && entered.stored) entered.file = await store.unpack(entered.stored.file)
    return entered?.file
  }

  function remove(path: string): void {
    if (entries.delete(path)) unsaved.add(path)
  }

  async function saveFiles(paths: readonly string[], entryOf: (path: string) => Entry | undefined): Promise<void> {
    if (paths.length === 0) return
    const changed: { path: string; entered: Entered; stored: StoredReview }[] = []
    const removed: string[] = []
    for (const path of paths) {
      const entered = entries.get(path)
      if (!entered) removed.push(path)
      else if (entered.file) {
        const { file } = entered
        const stored = { file: await store.pack(file), views: viewsOf(file), entry: entryOf(path) }
        changed.push({ path, entered, stored })
      }
    }
    const next = randomUUID()
    // In one transaction, because a renamed file is removed at one path and added at another.
    store.inTransaction(() => {
      store.setState('version', next)
      for (const path of removed) store.removeFile(path)
      for (const { path, stored } of changed) store.saveFile(path, stored)
    })
    version = next
    for (const { path, entered, stored } of changed) if (entered === entries.get(path)) entered.stored = stored
  }

  async function deleteOldBases(): Promise<void> {
    for (const path of await store.prune()) {
      const pruned = store.files().find((each) => each.file.path === path)
      if (!pruned) continue
      const file = await store.unpack(pruned.file)
      const stored = { ...pruned, views: viewsOf(file) }
      store.saveFile(path, stored)
      entries.set(path, { file, stored, revision: (lastRevision += 1) })
    }
  }

  /** Forgets changes that can return, for the files that have had nothing to review for longest. */
  function dropDormant(): void {
    const dormant = [...entries].filter(([, { stored, file }]) =>
      file ? isDormant(file) : stored?.views.every(({ view }) => view === null),
    )
    for (const [path] of dormant.slice(0, Math.max(0, dormant.length - maxDormant))) remove(path)
  }

  return {
    paths: () => [...entries.keys()],
    has: (path) => entries.has(path),
    load,
    put(given) {
      const file = pruneLayers(given)
      if (!file) return remove(given.path)
      entries.set(file.path, { file, stored: entries.get(file.path)?.stored, revision: (lastRevision += 1) })
      unsaved.add(file.path)
    },
    remove,
    revision: (path) => entries.get(path)?.revision ?? 0,
    view(path, turns) {
      const entered = entries.get(path)
      if (!entered) return undefined
      return entered.file ? viewOf(entered.file, turns) : storedView(entered.stored?.views ?? [], turns)
    },
    async turnView(path, turns) {
      const entered = entries.get(path)
      const stored = entered?.stored?.views ?? []
      const first = stored.findIndex((each) => shownTurns(each).some((turn) => turns.has(turn)))
      const isLast = first >= 0 && stored.slice(first).every((each) => shownTurns(each).some((turn) => turns.has(turn)))
      // Without later turns, these are all changes since the first one, so listing reads no text.
      if (entered && !entered.file && isLast) return storedView(stored, turns)
      const views = entered?.stored?.views.filter((each) => shownTurns(each).some((turn) => turns.has(turn))) ?? []
      // Rows of earlier versions have no views of individual turns.
      const isStored = views.every(({ own, merged }) => own !== undefined && merged === undefined)
      if (entered && !entered.file && isStored && views.length <= 1) return views[0]?.own ?? undefined
      const file = await load(path)
      return file && describeTurnOnce(file, turns)
    },
    storedEntries: () =>
      new Map(
        [...entries].flatMap(([path, { stored }]): [string, Entry][] => (stored?.entry ? [[path, stored.entry]] : [])),
      ),
    reload() {
      const stored = store.state('version')
      if (stored === version) return false
      version = stored
      for (const path of entries.keys()) if (!unsaved.has(path)) entries.delete(path)
      read()
      return true
    },
    async save(entryOf) {
      dropDormant()
      const paths = [...unsaved]
      unsaved.clear()
      try {
        await saveFiles(paths, entryOf)
      } catch (error) {
        for (const path of paths) unsaved.add(path)
        throw error
      }
      await deleteOldBases()
      const loaded = [...entries].filter(([path, { file, stored }]) => file && stored && !unsaved.has(path))
      for (const [, entered] of loaded.slice(0, Math.max(0, loaded.length - maxLoaded))) entered.file = undefined
    },
    async packed() {
      const files: StoredFile[] = []
      for (const path of entries.keys()) {
        const file = await load(path)
        if (file) files.push(await store.pack(file))
      }
      return files
    },
  }
}

function viewOf(file: FileReview, turns: ReadonlySet<string> | null): LayerDescription | undefined {
  const layer = layerSince(file, turns)
  if (!layer || isSettled(layer, file)) return undefined
  const described = describeLayer(file, layer)
  return turns ? withMergedTurns(described, turnsOfLayer(file, layer), turns) : described
}

/** Does the same without the file's text. */
function storedView(views: readonly LayerView[], turns: ReadonlySet<string> | null): LayerDescription | undefined {
  if (!turns) return views.find(({ turn }) => turn === null)?.view ?? undefined
  const found = views.find((each) => shownTurns(each).some((turn) => turns.has(turn)))
  return found?.view ? withMergedTurns(found.view, shownTurns(found), turns) : undefined
}

/** Returns the turns that a stored view starts with. */
const shownTurns = ({ turn, merged = [] }: LayerView): readonly string[] => (turn === null ? [] : [turn, ...merged])

function viewsOf(file: FileReview): LayerView[] {
  return file.layers.map((layer) => ({
    turn: layer.turn,
    ...(layer === file.layers[1] && file.merged && { merged: file.merged }),
    view: isSettled(layer, file) ? null : describeLayer(file, layer),
    own: (layer.turn !== null && describeTurnOnce(file, new Set([layer.turn]))) || null,
  }))
}

/** Compared once per state of a file, because lists are requested often. */
const turnDescriptions = new WeakMap<FileReview, Map<string, LayerDescription | undefined>>()

function describeTurnOnce(file: FileReview, turns: ReadonlySet<string>): LayerDescription | undefined {
  const known = turnDescriptions.get(file) ?? new Map<string, LayerDescription | undefined>()
  turnDescriptions.set(file, known)
  const key = [...turns].join('\n')
  if (!known.has(key)) known.set(key, describeTurn(file, turns))
  return known.get(key)
}

/** Returns the pending changes, or those since the first of these turns that changed the file. */
export function layerSince(
  file: FileReview,
  turns: ReadonlySet<string> | null,
): FileReview['layers'][number] | undefined {
  if (!turns) return file.layers.find(({ turn }) => turn === null)
  return file.layers.find((layer) => turnsOfLayer(file, layer).some((turn) => turns.has(turn)))
}
