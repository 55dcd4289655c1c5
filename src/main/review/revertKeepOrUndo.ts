import { type FileReview } from './fileReview.ts'
import { layerOf, withGone, type Layer } from './reviewLayer.ts'
import { sameContent, sameFormat, textOf, type Content } from './reviewContent.ts'
import { mergeChanges } from './lineEdits.ts'

/**
 * Returns the review of a file as if an action had not happened. Later changes to other lines stay.
 * @param now the current review; without layers if nothing is under review
 * @param after the review after the action
 * @param before the review before it
 * @returns null if later changes touch the same lines, so that nothing is overwritten
 */
export function revertedFile(now: FileReview, after: FileReview, before: FileReview): FileReview | null {
  const current = mergedContent(after.current, before.current, now.current)
  if (!current) return null
  const turns = [...new Set([...before.layers, ...now.layers].map(({ turn }) => turn))]
  const layers = turns.flatMap((turn): Layer[] => {
    const [past, then, present] = [before, after, now].map(({ layers: all }) =>
      all.find((layer) => layer.turn === turn),
    )
    const shown = past ?? present
    if (!shown) return []
    // Without changes after the action, the base was the current content.
    const baseThen = then?.base ?? after.current
    const base = mergedContent(baseThen, past?.base ?? baseThen, present?.base ?? now.current)
    const layer = layerOf(turn, shown.path, base ?? present?.base ?? shown.base, current)
    return [withGone(layer, (present ?? shown).text?.gone ?? [], (present ?? shown).gone)]
  })
  const merged = (now.merged ?? before.merged)?.filter((turn) => !turns.includes(turn))
  return { path: before.path, newFolders: before.newFolders, current, layers, merged }
}

/**
 * Applies the change from `after` to `before` to the current content.
 * @param touching whether changed lines may be adjacent
 * @returns null if both changed the same lines
 */
export function mergedContent(after: Content, before: Content, now: Content, touching = false): Content | null {
  if (sameContent(after, now)) return before
  if (sameContent(after, before) || sameContent(before, now)) return now
  if (after.kind !== 'text' || before.kind !== 'text' || now.kind !== 'text') return null
  const text = mergeChanges(textOf(after), textOf(before), textOf(now), touching)
  if (text === null) return null
  const mode = before.mode === after.mode ? now.mode : before.mode
  const format = sameFormat(before.format, after.format) ? now.format : before.format
  return { ...now, text, format, mode, hash: undefined, from: now.hash ?? now.from }
}
