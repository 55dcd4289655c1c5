import type { TextFormat } from '../../shared/files/textFormat.ts'
import { withoutKept } from './goneHunks.ts'
import type { GoneHunk } from './textReviewTypes.ts'
import {
  changeText,
  hunksWithin,
  keepHunks,
  reviewOf,
  withoutHunks,
  type Actor,
  type Hunk,
  type TextReview,
} from './textReview.ts'

/** Content at a path. Text has `\n` line endings. */
export type Content =
  | { kind: 'missing' }
  /**
   * `hash`: of the stored bytes; absent if the text has changed since. `from`: of the bytes that it was derived from,
   * whose mixed line endings it keeps.
   */
  | { kind: 'text'; text: string; format: TextFormat; mode: number; hash?: string; from?: string }
  /** `why`: why it is not text, as a sentence for the user. */
  | { kind: 'binary'; hash: string; mode: number; why?: string }
  | { kind: 'link'; target: string }
  /** Content that is not stored. */
  | { kind: 'unknown'; why: string }

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

export const missing: Content = { kind: 'missing' }

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

/** Keeps all changes of a layer. Changes that left the layer earlier can still return. */
function keptLayer({ turn, text, gone }: Layer, { path, current }: FileReview): Layer {
  const left = text && withoutKept(text.gone, new Set(text.hunks))
  const others = gone?.filter((change) => !sameContent(change.current, current))
  return withGone(layerOf(turn, path, current, current), left ?? [], others)
}

/** Keeps what a layer shares with the kept layer, apart from lines: permissions, format, binary content and path. */
function keptRest(layer: Layer, kept: Layer, { current, path }: FileReview): Layer {
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

/** Moves hunks into the base of a layer. */
export function keptHunks(layer: Layer, hunks: ReadonlySet<Hunk>, current: Content): Layer {
  if (!layer.text || hunks.size === 0) return layer
  const text = keepHunks(layer.text, hunks)
  if (current.kind === 'missing' && text.hunks.length === 0) return { ...layer, base: current, text }
  return { ...layer, text, base: withText(layer.base, layer.text, text, current) }
}

/** Whether a layer has no changes. */
export function isSettled({ base, path, text }: Layer, { current, path: now }: FileReview): boolean {
  if (path !== now) return false
  if (!text || base.kind !== 'text' || current.kind !== 'text') return sameContent(base, current)
  return text.hunks.length === 0 && base.mode === current.mode && sameFormat(base.format, current.format)
}

/** Whether changes of a layer left the review and can return. */
function hasGone({ text, gone = [] }: Layer): boolean {
  return gone.length > 0 || (text?.gone.length ?? 0) > 0
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

export function sameContent(one: Content, other: Content): boolean {
  switch (one.kind) {
    case 'missing':
      return other.kind === 'missing'
    case 'text':
      return (
        other.kind === 'text' &&
        one.mode === other.mode &&
        one.text === other.text &&
        sameFormat(one.format, other.format)
      )
    case 'binary':
      return other.kind === 'binary' && one.hash === other.hash && one.mode === other.mode
    case 'link':
      return other.kind === 'link' && one.target === other.target
    case 'unknown':
      // Content without stored bytes cannot be compared. After a keep, base and current content are one object.
      return one === other
  }
}

export function sameFormat(one: TextFormat, other: TextFormat): boolean {
  return one.encoding === other.encoding && one.eol === other.eol
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

/**
 * Applies a change to the current content to a layer.
 * @param current content before the change
 * @param compare `changeText`, or a memoizing version for changing several layers
 */
export function changeLayer(
  layer: Layer,
  { path, current: old }: Pick<FileReview, 'path' | 'current'>,
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

/** Whether two texts have the same permissions and format. */
function sameProperties(one: Content, other: Content): boolean {
  if (one.kind !== 'text' || other.kind !== 'text') return one.kind === other.kind
  return one.mode === other.mode && sameFormat(one.format, other.format)
}

/** Whether a layer has no changes besides its path. Does not compute the base. */
const isSame = (layer: Layer, current: Content): boolean =>
  isSettled(layer, { path: layer.path, current, layers: [], newFolders: [] })

/** Maximum number of non-line changes of a layer that can return. */
const maxGoneChanges = 20

/** Returns the change of a layer, unless only lines left it. */
function changesBesideLines(
  { base, path: before }: Layer,
  { path, current }: Pick<FileReview, 'path' | 'current'>,
  now: Content,
): GoneChange[] {
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

type TextContent = Extract<Content, { kind: 'text' }>

/** Returns a changed text that is not stored yet. The base of a comparison is computed on demand. */
function derived(
  content: TextContent,
  change: { text?: string | TextReview; mode?: number; format?: TextFormat; hash?: string | undefined },
): TextContent {
  const { text = content, mode = content.mode, format = content.format, hash } = change
  return {
    kind: 'text',
    get text() {
      return typeof text === 'string' ? text : 'base' in text ? text.base : text.text
    },
    format,
    mode,
    hash,
    from: content.hash ?? content.from,
  }
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

function isTextual({ kind }: Content): boolean {
  return kind === 'text' || kind === 'missing'
}

export function textOf(content: Content): string {
  return content.kind === 'text' ? content.text : ''
}
