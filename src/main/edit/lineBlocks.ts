import { foldLookAlikes } from './characterForms.ts'

/**
 * How lines were compared: exactly, without trailing space, without space at either end, or also with look-alike
 * characters folded.
 */
export type LineStage = 'exact' | 'trailing_space' | 'edge_space' | 'look_alikes'

const normalize: Readonly<Record<LineStage, (line: string) => string>> = {
  exact: (line) => line,
  trailing_space: (line) => line.trimEnd(),
  edge_space: (line) => line.trim(),
  look_alikes: (line) => foldLookAlikes(line).trim().normalize('NFC'),
}
const lineStages: readonly LineStage[] = ['exact', 'trailing_space', 'edge_space', 'look_alikes']

/** Maximum number of matches. A block with more is too unspecific to select one. */
const maxPlaces = 10_000

/** All matches of a block of lines. */
export interface BlockMatches {
  stage: LineStage
  /** 0-based start lines of the block, ascending. */
  starts: number[]
}

interface LineIndex {
  lines: readonly string[]
  /** Indexes of each line, ascending. */
  places: ReadonlyMap<string, readonly number[]>
}

/** Finds blocks of lines in a file, from strict to loose comparison. */
export class BlockFinder {
  readonly lines: readonly string[]
  readonly #indexes = new Map<LineStage, LineIndex>()

  constructor(lines: readonly string[]) {
    this.lines = lines
  }

  /** Returns all matches from line `from` on, at the strictest stage that has any. */
  find(block: readonly string[], from = 0, stages = lineStages): BlockMatches | undefined {
    for (const stage of stages) {
      const starts = this.#starts(block, from, stage)
      if (starts.length > 0) return { stage, starts }
    }
    return undefined
  }

  #starts(block: readonly string[], from: number, stage: LineStage): number[] {
    const { lines, places } = this.#indexAt(stage)
    const wanted = block.map(normalize[stage])
    // Searches the rarest line first, so that a block of thousands of lines is fast in a large file.
    let lead = 0
    let candidates = places.get(wanted[0] ?? '') ?? []
    for (const [index, line] of wanted.entries()) {
      const there = places.get(line) ?? []
      if (there.length < candidates.length) [lead, candidates] = [index, there]
    }
    const starts: number[] = []
    for (const place of candidates) {
      const start = place - lead
      if (start < from || start + wanted.length > lines.length) continue
      if (wanted.every((line, index) => lines[start + index] === line)) starts.push(start)
      if (starts.length >= maxPlaces) break
    }
    return starts
  }

  #indexAt(stage: LineStage): LineIndex {
    const known = this.#indexes.get(stage)
    if (known) return known
    const lines = this.lines.map(normalize[stage])
    const places = new Map<string, number[]>()
    for (const [index, line] of lines.entries()) {
      const there = places.get(line)
      if (there) there.push(index)
      else places.set(line, [index])
    }
    const made = { lines, places }
    this.#indexes.set(stage, made)
    return made
  }
}

/** Describes how loosely a text was matched, for a tool's result. */
export function describeLineStage(stage: LineStage): string {
  const words: Record<LineStage, string> = {
    exact: 'exact match',
    trailing_space: 'matched ignoring trailing space',
    edge_space: 'matched ignoring space at the edges of lines',
    look_alikes: 'matched with look-alike quotes, dashes or spaces',
  }
  return words[stage]
}

/** The lines of a text, and whether it ends with a newline. */
export interface TextLines {
  lines: string[]
  finalNewline: boolean
}

/** Splits a text into lines. An empty text has no lines and counts as ending with a newline. */
export function toLines(text: string): TextLines {
  const lines = text.split('\n')
  const finalNewline = text === '' || lines.at(-1) === ''
  if (lines.at(-1) === '') lines.pop()
  return { lines, finalNewline }
}

/** Joins lines to a text. Inverse of `toLines`. */
export function fromLines({ lines, finalNewline }: TextLines): string {
  return lines.length === 0 ? '' : lines.join('\n') + (finalNewline ? '\n' : '')
}
