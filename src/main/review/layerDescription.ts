import type { ReviewFile, ReviewHunk } from '../../shared/review/review.ts'
import { turnsOfLayer, type FileReview } from './fileReview.ts'
import type { Layer } from './reviewLayer.ts'
import { sameFormat, type Content } from './reviewContent.ts'
import type { Hunk } from './textReview.ts'

/** The changes of a layer as the window shows them. */
export type LayerDescription = Omit<ReviewFile, 'revision'>

/** Describes the changes of a layer for the window. */
export function describeLayer(file: FileReview, layer: Layer): LayerDescription {
  const { base, text } = layer
  const { current, path } = file
  const hunks = text?.hunks ?? []
  const [from, to] = [modeOf(base), modeOf(current)]
  const problem = problemOf(file, layer)
  const renamed = layer.path !== path && current.kind !== 'missing'
  return {
    path,
    change: renamed
      ? 'renamed'
      : base.kind === 'missing'
        ? 'created'
        : current.kind === 'missing'
          ? 'deleted'
          : 'changed',
    ...(renamed && { renamedFrom: layer.path }),
    content: text ? 'text' : current.kind === 'unknown' ? 'tooLarge' : 'binary',
    added: hunks.reduce((sum, { lines }) => sum + lines.addedCount, 0),
    removed: hunks.reduce((sum, { lines }) => sum + lines.removedCount, 0),
    hunks: hunks.length,
    ...(from !== undefined && to !== undefined && from !== to && { mode: { from, to } }),
    ...(problem !== undefined && { problem }),
  }
}

function problemOf({ current }: FileReview, { base, text }: Layer): string | undefined {
  if (base.kind === 'unknown') return `${base.why} The change can be kept but not undone.`
  if (current.kind === 'unknown') return current.why
  const notText = current.kind === 'binary' ? current : base.kind === 'binary' ? base : undefined
  if (notText?.why !== undefined) return `${notText.why} The file can be kept or undone as a whole.`
  const formatOnly = text?.hunks.length === 0 && base.kind === 'text' && current.kind === 'text'
  if (formatOnly && !sameFormat(base.format, current.format))
    return 'Only the line endings or the encoding changed. The file can be kept or undone as a whole.'
  return undefined
}

function modeOf(content: Content): number | undefined {
  return content.kind === 'text' || content.kind === 'binary' ? content.mode : undefined
}

/** A hunk with the ranges of its lines. */
export interface LocatedHunk {
  hunk: Hunk
  view: ReviewHunk
  baseLines: string[]
}

/** Returns the hunks of a layer with ids and line numbers. @param hashOf returns a short hash of a text */
export function locateHunks(file: FileReview, layer: Layer, hashOf: (text: string) => string): LocatedHunk[] {
  const seen = new Map<string, number>()
  return (layer.text?.hunks ?? []).map((hunk) => {
    const { removed, added, removedCount, addedCount } = hunk.lines
    const key = hashOf(`${removed}\0${added}`)
    const earlier = seen.get(key) ?? 0
    seen.set(key, earlier + 1)
    return {
      hunk,
      view: {
        id: earlier === 0 ? key : `${key}-${earlier + 1}`,
        base: { start: hunk.baseLine + 1, count: removedCount },
        current: { start: hunk.line + 1, count: addedCount },
        turn: turnOf(file, hunk),
      },
      baseLines: removed === '' ? [] : removed.replace(/\n$/, '').split('\n'),
    }
  })
}

/** Returns the turn that made a hunk: the newest one that contains the whole change and nothing else. */
function turnOf(file: FileReview, hunk: Hunk): string | null {
  for (const layer of file.layers.toReversed()) {
    const { turn, text } = layer
    if (turn === null || !text) continue
    const touching = text.hunks.filter(({ start, end }) => start <= hunk.end && hunk.start <= end)
    const [only] = touching
    if (!only) continue
    const same = touching.length === 1 && only.start === hunk.start && only.end === hunk.end
    const isKnown = turnsOfLayer(file, layer).length === 1
    return isKnown && same && only.lines.removed === hunk.lines.removed ? turn : null
  }
  return null
}
