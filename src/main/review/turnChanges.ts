import { turnsOfLayer, undoneContent, type FileReview } from './fileReview.ts'
import { changeLayer, isSettled, keptHunks, layerOf, type Layer } from './reviewLayer.ts'
import type { Content } from './reviewContent.ts'
import { describeLayer, type LayerDescription } from './layerDescription.ts'
import { mergedContent } from './revertKeepOrUndo.ts'
import { hunksWithin, type Hunk } from './textReview.ts'

/**
 * The changes of one turn, of a turn with several messages, or of all turns of a conversation. A layer has all changes
 * since its turn started, so the turn's own changes end at the base of the next one.
 */
export interface TurnChanges {
  /** The file at the end of the turn, with one layer. The file itself if no later turn changed it. */
  end: FileReview
  layer: Layer
  /** Present if a later turn changed the file: layers of the turns in the file itself, starting with `own`. */
  later?: { own: Layer; layers: readonly Layer[] }
  /** Whether other turns changed the file in between, so that their changes are included. */
  mixed?: true
}

/** Returns only the changes of these turns; undefined if they did not change the file. */
export function changesOfTurns(file: FileReview, turns: ReadonlySet<string>): TurnChanges | undefined {
  const isOwn = (layer: Layer) => turnsOfLayer(file, layer).some((turn) => turns.has(turn))
  const at = file.layers.findIndex(isOwn)
  const own = file.layers[at]
  if (!own) return undefined
  const last = file.layers.findLastIndex(isOwn)
  const layers = file.layers.slice(at, last + 1)
  const mixed = layers.every(isOwn) ? {} : { mixed: true as const }
  const next = file.layers[last + 1]
  if (!next) return { end: file, layer: own, ...mixed }
  const layer = layerOf(own.turn, own.path, own.base, next.base)
  const end = { ...file, path: next.path, current: next.base, layers: [layer], merged: undefined }
  return { end, layer, later: { own, layers }, ...mixed }
}

const mixedNote = 'This includes changes by other turns, which changed this file in between.'
const laterConflict = 'Later changes touch the same lines, so these cannot be undone alone.'

/** Describes only the changes of these turns; undefined if there are none. */
export function describeTurn(file: FileReview, turns: ReadonlySet<string>): LayerDescription | undefined {
  const changes = changesOfTurns(file, turns)
  if (!changes || isUnchanged(changes)) return undefined
  const own = changes.later?.own ?? changes.layer
  return withMergedTurns(describeChanges(file, changes), turnsOfLayer(file, own), turns)
}

/** Adds a note if the changes include changes from other turns. @param shown turns of the changes */
export function withMergedTurns(
  described: LayerDescription,
  shown: readonly string[],
  wanted: ReadonlySet<string>,
): LayerDescription {
  if (shown.length < 2 || shown.every((turn) => wanted.has(turn))) return described
  const note = `This includes changes by other turns: ${shown.length} old turns of this file can no longer be told apart.`
  return { ...described, problem: withNote(note, described.problem) }
}

/** Describes changes for the window, and why they cannot be undone if later ones are in the way. */
export function describeChanges(file: FileReview, { end, layer, later, mixed }: TurnChanges): LayerDescription {
  const own = { ...describeLayer(end, layer), path: file.path }
  const described = mixed ? { ...own, problem: withNote(mixedNote, own.problem) } : own
  if (!later) return described
  const conflict = mergedContent(end.current, layer.base, file.current) === null ? laterConflict : undefined
  const problem = own.problem ?? conflict
  if (problem === undefined) return { ...described, earlier: true }
  return { ...described, earlier: true, problem: mixed ? withNote(mixedNote, problem) : problem }
}

const withNote = (note: string, problem: string | undefined) => (problem === undefined ? note : `${note} ${problem}`)

/** Whether turns have no changes of their own. */
export const isUnchanged = ({ end, layer }: TurnChanges): boolean => isSettled(layer, end)

/**
 * Undoes a turn's changes, but not the changes of later turns.
 * @returns null if later changes touch the same lines, so that nothing is overwritten
 */
export function undoneTurn(
  file: FileReview,
  { end, layer, later }: TurnChanges,
  hunks?: ReadonlySet<Hunk>,
): FileReview | null {
  const before = undoneContent(end, layer, hunks)
  const current = mergedContent(end.current, before, file.current)
  const movesBack = !hunks && layer.path !== end.path
  if (!later || !current || (movesBack && file.path !== end.path)) return null
  const path = movesBack ? layer.path : file.path
  const at = file.layers.indexOf(later.own)
  const layers = file.layers.map((each, index): Layer => {
    if (index <= at) return changeLayer(each, file, current, 'agent')
    // Later turns were compared with the undone content.
    const base = mergedContent(end.current, before, each.base)
    const moved = each.path === file.path ? path : each.path
    return base
      ? layerOf(each.turn, moved, base, current)
      : { ...changeLayer(each, file, current, 'settle'), path: moved }
  })
  return { ...file, path, current, layers }
}

/**
 * Keeps a turn's changes, but not the changes of other turns.
 * @returns null if earlier changes that are not kept touch the same lines
 */
export function keptTurn(
  file: FileReview,
  { end, layer, later }: TurnChanges,
  hunks?: ReadonlySet<Hunk>,
): FileReview | null {
  const own = later?.own ?? layer
  const at = file.layers.indexOf(own)
  const base = baseWith(end, layer, hunks)
  const movedBase = (each: Layer) => (hunks ? (mergedContent(layer.base, base, each.base, true) ?? each.base) : base)
  const layers: Layer[] = []
  for (const [index, each] of file.layers.entries()) {
    const path = !hunks && each.path === layer.path ? end.path : each.path
    if (index < at) {
      const older =
        mergedContent(layer.base, base, each.base, true) ?? (later ? null : olderBase(file, each, layer, hunks))
      if (!older) return null
      layers.push(layerOf(each.turn, path, older, file.current))
    } else if (index === at) layers.push(layerOf(each.turn, path, base, file.current))
    // Turns of the kept changes, all of which are now in the base.
    else if (later?.layers.includes(each)) layers.push(layerOf(each.turn, path, movedBase(each), file.current))
    // Later turns started after the change.
    else if (later) layers.push(each)
    else if (!hunks) layers.push(layerOf(each.turn, file.path, file.current, file.current))
    else layers.push(each.text ? keptHunks(each, hunksWithin(each.text, [...hunks]), file.current) : each)
  }
  return { ...file, layers }
}

/** Returns a layer's base with some of its hunks, or all changes. */
function baseWith(end: FileReview, layer: Layer, hunks?: ReadonlySet<Hunk>): Content {
  return hunks ? keptHunks(layer, hunks, end.current).base : end.current
}

/** Keeps hunks one by one in an older layer. A hunk that replaced an earlier change is kept with it. */
function olderBase(
  { current }: FileReview,
  older: Layer,
  layer: Layer,
  hunks: ReadonlySet<Hunk> = new Set(layer.text?.hunks),
): Content | null {
  if (!layer.text || !older.text || hunks.size === 0) return null
  let kept = older
  for (const hunk of hunks) {
    const merged = mergedContent(layer.base, keptHunks(layer, new Set([hunk]), current).base, kept.base, true)
    if (merged) kept = layerOf(kept.turn, kept.path, merged, current)
    else {
      const within = kept.text && hunksWithin(kept.text, [hunk])
      if (!within || within.size === 0) return null
      kept = keptHunks(kept, within, current)
    }
  }
  return kept.base
}
