import { derived, missing, type Content } from './reviewContent.ts'
import {
  changeLayer,
  hasGone,
  isSettled,
  keptHunks,
  keptLayer,
  keptRest,
  layerOf,
  maxGoneChanges,
  withGone,
  type Layer,
} from './reviewLayer.ts'
import { changeText, hunksWithin, withoutHunks, type Actor, type Hunk, type TextReview } from './textReview.ts'

/** The reviewed changes to a file: the pending ones, and those since each turn, oldest first. */
export interface FileReview {
  path: string
  current: Content
  layers: Layer[]
  /** Later turns merged into the oldest one, because there are too many turns to review individually. */
  merged?: readonly string[] | undefined
  /** Folders created with the file, innermost first. */
  newFolders: string[]
}

/** Maximum number of turns of a file that can be reviewed individually. */
const maxTurns = 30
/** Maximum number of turns remembered as part of the oldest one. */
const maxMerged = 1000

export function startReview(path: string, base: Content): FileReview {
  return { path, current: base, layers: [layerOf(null, path, base, base)], newFolders: [] }
}

/** Starts a turn's changes at the current content, unless they have already started. */
export function startTurn(file: FileReview, turn: string | null): FileReview {
  if (turn === null || file.layers.some((layer) => layer.turn === turn)) return file
  const [pending, ...turns] = file.layers
  if (!pending) return file
  // The second turn's changes then belong to the oldest one, which has all changes since it started.
  const second = turns.length < maxTurns ? undefined : turns[1]
  const kept = turns.filter((layer) => layer !== second)
  const merged = second ? [...(file.merged ?? []), second.turn ?? ''].slice(-maxMerged) : file.merged
  const layer = layerOf(turn, file.path, file.current, file.current)
  // While both layers have the same changes, they share one text object, so that it is compared once.
  const same = isSettled(pending, file) && !hasGone(pending) ? { ...layer, text: pending.text } : layer
  return { ...file, layers: [pending, ...kept, same], merged }
}

/** Returns the turns that a layer starts with: one, or several merged ones. */
export function turnsOfLayer({ layers, merged = [] }: FileReview, layer: Layer): readonly string[] {
  if (layer.turn === null) return []
  return layer === layers[1] ? [layer.turn, ...merged] : [layer.turn]
}

/** Applies a change to the current content to all layers. */
export function changeFile(file: FileReview, now: Content, actor: Actor): FileReview {
  const compare = createComparison()
  const layers = file.layers.map((layer) => changeLayer(layer, file, now, actor, compare))
  return { ...file, current: now, layers }
}

/**
 * Returns the content after an undo.
 * @param hunks default: the whole file
 */
export function undoneContent({ current }: FileReview, layer: Layer, hunks?: ReadonlySet<Hunk>): Content {
  if (!hunks || !layer.text) return layer.base
  const text = withoutHunks(
    layer.text.current,
    layer.text.hunks.filter((hunk) => hunks.has(hunk)),
  )
  // The last hunk of a created or deleted file undoes the creation or deletion.
  if (text === layer.text.base && (layer.base.kind === 'missing' || current.kind === 'missing')) return layer.base
  const like = current.kind === 'text' ? current : layer.base
  if (like.kind !== 'text') return layer.base
  // The stored bytes have the exact line endings.
  if (text === layer.text.base && layer.base.kind === 'text' && layer.base.mode === like.mode) return layer.base
  return derived(like, { text })
}

/**
 * Applies the undo of one layer. Newer layers follow, because the content they were compared with no longer exists.
 * @param path path after undoing a whole file
 */
export function undoneFile(file: FileReview, undone: Layer, now: Content, path?: string): FileReview {
  const at = file.layers.indexOf(undone)
  const layers = file.layers.map((layer, index) =>
    index <= at
      ? changeLayer(layer, file, now, 'agent')
      : { ...changeLayer(layer, file, now, 'settle'), path: path ?? layer.path },
  )
  return { ...file, path: path ?? file.path, current: now, layers }
}

/** Moves hunks, or the whole file, into the base of a layer and of the others that contain the same change. */
export function keptFile(file: FileReview, kept: Layer, hunks?: ReadonlySet<Hunk>): FileReview {
  const at = file.layers.indexOf(kept)
  const ranges = [...(hunks ?? kept.text?.hunks ?? [])]
  const layers = file.layers.map((layer, index) => {
    if (index >= at && !hunks) return keptLayer(layer, file)
    if (layer.text && kept.text) {
      const same = index === at && hunks ? hunks : hunksWithin(layer.text, ranges)
      const next = keptHunks(layer, same, file.current)
      return hunks ? next : keptRest(next, kept, file)
    }
    return hunks ? layer : keptRest(layer, kept, file)
  })
  return { ...file, layers }
}

/** Whether a file has nothing to review now and is only tracked because changes by the agent can return. */
export function isDormant(file: FileReview): boolean {
  return file.layers.every((layer) => isSettled(layer, file))
}

/**
 * Removes turns without changes, except between others, where they separate the changes of adjacent turns.
 * @returns null if nothing remains to review and nothing can return
 */
export function pruneLayers(file: FileReview): FileReview | null {
  const [pending, ...turns] = file.layers
  const isOpen = (layer: Layer) => !isSettled(layer, file) || hasGone(layer)
  const first = turns.findIndex(isOpen)
  if (!pending || (first === -1 && !isOpen(pending))) return null
  const open = first === -1 ? [] : turns.slice(first, turns.findLastIndex(isOpen) + 1)
  if (open.length === turns.length) return file
  return { ...file, layers: [pending, ...open], merged: first === 0 ? file.merged : undefined }
}

/** Moves the review to another path after the agent renamed the file. */
export function renameFile(file: FileReview, path: string): FileReview {
  // A file that did not exist before counts as created at its new path.
  const layers = file.layers.map((layer) => (layer.base.kind === 'missing' ? { ...layer, path } : layer))
  return { ...file, path, layers }
}

/** Returns the review of a path that a file has left. Its changes return there with its content. */
export function leftBehind(file: FileReview): FileReview {
  const { path, current } = file
  const layers = file.layers.map((layer) => {
    const { turn, base, text, gone = [] } = layer
    const isGone = !isSettled(layer, file) && ![base.kind, current.kind].includes('unknown')
    const left = isGone && current.kind !== 'missing' ? [{ base, current, path: layer.path }] : []
    const lines = text ? changeText(text, '', 'user').gone : []
    return withGone(layerOf(turn, path, missing, missing), lines, [...gone, ...left].slice(-maxGoneChanges))
  })
  return { ...file, current: missing, layers }
}

/** Moves the review to another path after the user renamed the file. */
export function movedFile(file: FileReview, path: string): FileReview {
  const layers = file.layers.map((layer) => (layer.path === file.path ? { ...layer, path } : layer))
  return { ...file, path, layers, newFolders: [] }
}

/** Returns a `changeText` that computes the result once for all layers with the same changes. */
function createComparison(): typeof changeText {
  const done = new Map<string, Map<TextReview, TextReview>>()
  return (review, text, actor) => {
    const known = done.get(actor) ?? new Map<TextReview, TextReview>()
    const next = known.get(review) ?? changeText(review, text, actor)
    done.set(actor, known.set(review, next))
    return next
  }
}
