import { withoutKept } from './goneHunks.ts'
import { derived, isTextual, sameContent, sameFormat, sameProperties, textOf, type Content } from './reviewContent.ts'
import { changeText, keepHunks, reviewOf, type Actor, type Hunk, type TextReview } from './textReview.ts'
import type { GoneHunk } from './textReviewTypes.ts'

/** The changes to a file since one point in time. */
export interface Layer {
  /** User message of the turn that started it; null for the pending changes, which start with the first change. */
  turn: string | null
  /** Path of the file at that time. */
  path: string
  base: Content
  /** Null unless base and current content are text or missing. */
  text: TextReview | null
  /** Changes that left the review without being kept and are not text lines. */
  gone?: readonly GoneChange[] | undefined
}

/**
 * A change by the agent from one content to another, such as a created file. It returns to the review when the content
 * does.
 */
export interface GoneChange {
  base: Content
  current: Content
  /** Path of the file before, if the agent renamed it. */
  path?: string | undefined
}

/** Path and content of a file now. */
interface FileNow {
  path: string
  current: Content
}

export function layerOf(turn: string | null, path: string, base: Content, current: Content): Layer {
  const textual = isTextual(base) && isTextual(current)
  return { turn, path, base, text: textual ? reviewOf(textOf(base), textOf(current)) : null }
}

/** Returns a layer with changes that can return. */
export function withGone(layer: Layer, hunks: readonly GoneHunk[], gone: readonly GoneChange[] = []): Layer {
  const text = layer.text && hunks.length > 0 ? { ...layer.text, gone: hunks } : layer.text
  return gone.length > 0 ? { ...layer, text, gone } : { ...layer, text }
}

/** Whether a layer has no changes. */
export function isSettled({ base, path, text }: Layer, { current, path: now }: FileNow): boolean {
  if (path !== now) return false
  if (!text || base.kind !== 'text' || current.kind !== 'text') return sameContent(base, current)
  return text.hunks.length === 0 && base.mode === current.mode && sameFormat(base.format, current.format)
}

/** Whether changes of a layer left the review and can return. */
export function hasGone({ text, gone = [] }: Layer): boolean {
  return gone.length > 0 || (text?.gone.length ?? 0) > 0
}

/**
 * Applies a change to the current content to a layer.
 * @param current content before the change
 * @param compare `changeText`, or a memoizing version for changing several layers
 */
export function changeLayer(
  layer: Layer,
  { path, current: old }: FileNow,
  now: Content,
  actor: Actor,
  compare: typeof changeText = changeText,
): Layer {
  // A rename has no other change, but leaves the review with the file.
  const settled = isSame(layer, old) && (layer.path === path || (now.kind === 'text' && actor !== 'agent'))
  const found =
    actor === 'user' && (settled || now.kind !== 'missing')
      ? layer.gone?.findLast(({ current }) => sameContent(current, now))
      : undefined
  const next = changedLayer(layer, { old, settled }, now, actor, compare)
  const leaves = found || isSame(next, now) || actor === 'agent' || now.kind === 'missing' || !sameProperties(old, now)
  const left = settled || !leaves ? [] : changesBesideLines(layer, { path, current: old }, now)
  const gone = [...(next.gone ?? []).filter((change) => change !== found), ...left].slice(-maxGoneChanges)
  if (!found) return left.length === 0 ? next : { ...next, gone }
  return withGone(layerOf(layer.turn, found.path ?? layer.path, found.base, now), next.text?.gone ?? [], gone)
}

/** Whether a layer has no changes besides its path. Does not compute the base. */
const isSame = (layer: Layer, current: Content): boolean => isSettled(layer, { path: layer.path, current })

/** Maximum number of non-line changes of a layer that can return. */
export const maxGoneChanges = 20

/** Returns the change of a layer, unless only lines left it. */
function changesBesideLines({ base, path: before }: Layer, { path, current }: FileNow, now: Content): GoneChange[] {
  if (base.kind === 'unknown' || current.kind === 'unknown') return []
  if (before !== path) return current.kind === 'missing' ? [] : [{ base, current, path: before }]
  const lines = now.kind === 'text' && base.kind === 'text' && sameProperties(base, current)
  return lines ? [] : [{ base, current }]
}

function changedLayer(
  layer: Layer,
  { old, settled }: { old: Content; settled: boolean },
  now: Content,
  actor: Actor,
  compare: typeof changeText,
): Layer {
  const { base } = layer
  // Once the layer is settled, a file that the user creates or deletes is the user's change.
  const ofUser = actor === 'user' && settled && (old.kind === 'missing' || now.kind === 'missing')
  if (ofUser && layer.text && now.kind === 'text') {
    const text = compare(layer.text, now.text, actor)
    return { ...layer, text, base: text.hunks.length === 0 ? now : derived(now, { text }) }
  }
  if (!layer.text || !isTextual(now) || ofUser) {
    const follows = actor === 'settle' || (actor === 'user' && settled)
    return withGone(layerOf(layer.turn, layer.path, follows ? now : base, now), layer.text?.gone ?? [], layer.gone)
  }
  if (actor === 'settle' && now.kind === 'missing')
    return withGone(layerOf(layer.turn, layer.path, now, now), layer.text.gone, layer.gone)
  // A created file is one hunk that includes the user's edits. A deleted one can still be restored as it was.
  const whole = actor === 'user' && (base.kind === 'missing' || now.kind === 'missing')
  const text = compare(layer.text, textOf(now), whole ? 'agent' : actor)
  const changed = base.kind === 'missing' && actor !== 'settle' ? base : withText(base, layer.text, text, now)
  return { ...layer, text, base: withProperties(changed, old, now, actor) }
}

/** Applies a change of permissions and format, which belongs to the base unless such a change is pending. */
function withProperties(base: Content, old: Content, now: Content, actor: Actor): Content {
  if (actor === 'agent' || base.kind !== 'text' || old.kind !== 'text' || now.kind !== 'text') return base
  const mode = old.mode !== now.mode && (actor === 'settle' || base.mode === old.mode) ? now.mode : base.mode
  const moves = !sameFormat(old.format, now.format) && (actor === 'settle' || sameFormat(base.format, old.format))
  if (mode === base.mode && !moves) return base
  return derived(base, { mode, format: moves ? now.format : base.format, ...(!moves && { hash: base.hash }) })
}

/**
 * Returns the base of a changed comparison.
 * @param like provides format and permissions if there is no base yet
 */
function withText(base: Content, before: TextReview, text: TextReview, like: Content): Content {
  if (base.kind === 'text' && before.baseVersion === text.baseVersion) return base
  const old = base.kind === 'text' ? base : like
  return old.kind === 'text' ? derived(old, { text }) : base
}

/** Moves hunks into the base of a layer. */
export function keptHunks(layer: Layer, hunks: ReadonlySet<Hunk>, current: Content): Layer {
  if (!layer.text || hunks.size === 0) return layer
  const text = keepHunks(layer.text, hunks)
  if (current.kind === 'missing' && text.hunks.length === 0) return { ...layer, base: current, text }
  return { ...layer, text, base: withText(layer.base, layer.text, text, current) }
}

/** Keeps all changes of a layer. Changes that left the layer earlier can still return. */
export function keptLayer({ turn, text, gone }: Layer, { path, current }: FileNow): Layer {
  const left = text && withoutKept(text.gone, new Set(text.hunks))
  const others = gone?.filter((change) => !sameContent(change.current, current))
  return withGone(layerOf(turn, path, current, current), left ?? [], others)
}

/** Keeps what a layer shares with the kept layer, apart from lines: permissions, format, binary content and path. */
export function keptRest(layer: Layer, kept: Layer, { current, path }: FileNow): Layer {
  const renamed = layer.path === kept.path ? { ...layer, path } : layer
  const { base } = renamed
  if (base.kind === 'text' && current.kind === 'text' && kept.base.kind === 'text') {
    const mode = base.mode === kept.base.mode ? current.mode : base.mode
    const format = sameFormat(base.format, kept.base.format) ? current.format : base.format
    const moved = mode !== base.mode || format !== base.format
    return moved ? { ...renamed, base: derived(base, { mode, format }) } : renamed
  }
  return !layer.text && sameContent(base, kept.base) ? layerOf(layer.turn, path, current, current) : renamed
}
