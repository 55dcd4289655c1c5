import { applyTextChanges, type TextChange } from '../editor/textChanges.ts'
import { elementsAt, memberOf, membersAt, skipSpace, type MemberSpan, type Span } from './jsonSpans.ts'
import { jsonStyleOf, type JsonStyle } from './jsonStyle.ts'

export type CellType = 'code' | 'markdown' | 'raw'

/** A cell. The same object while it does not change, wherever it is, so that the window draws only what changed. */
export interface NotebookCell {
  /** Identifies the cell while its notebook is open. */
  key: string
  type: CellType
  /** Id from the file. Absent before nbformat 4.5. */
  id?: string
  source: string
  executionCount: number | null
  /** Its JSON text. Reading a part of it copies it after an edit, so that nothing that runs at each key reads it. */
  raw: string
  /** Members, with positions in `raw`. */
  members: readonly MemberSpan[]
  /** JSON text of its source. */
  rawSource: string
  /** The JSON text around the source. The same object while only the source changes. */
  rest: CellRest
}

export interface CellRest {
  head: string
  tail: string
}

/** A notebook of nbformat 4. The text stays the truth: an edit changes a part of it (notebookEdits.ts). */
export interface Notebook {
  /** Returns the text, as long as this is the present state of its file. Nothing that runs at each key calls it. */
  text(): string
  cells: readonly NotebookCell[]
  /** Positions of the cells in the text. */
  spans: readonly Span[]
  /** The array of cells. */
  array: Span
  style: JsonStyle
  minor: number
  /** Language of code cells, such as `python`. */
  language: string
  /** Name of the kernel specification that the file asks for. */
  kernelName?: string
}

/** Why a text is not shown as a notebook. `empty`: a notebook can be created in it. */
export interface NotebookProblem {
  problem: string
  empty?: true
}

/** Differs between windows and the main process, so that a key names no cell of another one. */
const keyPrefix = crypto.getRandomValues(new Uint32Array(1)).join('')
let nextKey = 1
const newKey = (): string => `cell-${keyPrefix}-${nextKey++}`

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Joins a text that the file has as a string or as a list of lines; null for other values. */
export function joinLines(value: unknown): string | null {
  if (typeof value === 'string') return value
  return Array.isArray(value) && value.every((line) => typeof line === 'string') ? value.join('') : null
}

/**
 * Reads a notebook.
 * @param before the notebook before a change of its text. Cells that are in both keep their keys.
 */
export function parseNotebook(text: string, before?: Notebook): Notebook | NotebookProblem {
  if (text.trim() === '') return { problem: 'The file is empty.', empty: true }
  const root = parseRoot(text)
  if ('problem' in root) return root
  const members = membersAt(text, skipSpace(text, 0))
  const array = memberOf(members, 'cells')
  if (array === undefined || text[array.start] !== '[') return { problem: 'It has no list of cells.' }
  const cells: NotebookCell[] = []
  const spans = elementsAt(text, array.start)
  for (const span of spans) {
    const cell = parseCell(text.slice(span.start, span.end))
    if ('problem' in cell) return { problem: `Cell ${cells.length + 1} ${cell.problem}` }
    cells.push(cell)
  }
  const { minor, language, kernelName } = root
  return {
    text: () => text,
    cells: withIdsAsKeys(before ? withKeysOf(before.cells, cells) : cells),
    spans,
    array: { start: array.start, end: array.end },
    style: jsonStyleOf(text),
    minor,
    language,
    ...(kernelName !== undefined && { kernelName }),
  }
}

function parseRoot(text: string): Pick<Notebook, 'minor' | 'language' | 'kernelName'> | NotebookProblem {
  let root: unknown
  try {
    root = JSON.parse(text)
  } catch (error) {
    return { problem: `It is not valid JSON: ${error instanceof Error ? error.message : String(error)}.` }
  }
  if (!isObject(root)) return { problem: 'It is not a JSON object.' }
  const { nbformat, nbformat_minor: minor, metadata } = root
  if (nbformat !== 4) {
    if (typeof nbformat !== 'number') return { problem: 'It does not name its format ("nbformat").' }
    return nbformat < 4
      ? {
          problem: `It has nbformat ${nbformat}, and cells need nbformat 4. "jupyter nbconvert --to notebook --inplace FILE" converts it.`,
        }
      : { problem: `It has nbformat ${nbformat}, which is newer than the nbformat 4 that Tizona knows.` }
  }
  const kernel = isObject(metadata) && isObject(metadata['kernelspec']) ? metadata['kernelspec'] : {}
  const info = isObject(metadata) && isObject(metadata['language_info']) ? metadata['language_info'] : {}
  const language = [info['name'], kernel['language']].find((name) => typeof name === 'string')
  return {
    minor: typeof minor === 'number' ? minor : 0,
    language: typeof language === 'string' ? language : 'python',
    ...(typeof kernel['name'] === 'string' && { kernelName: kernel['name'] }),
  }
}

/** Reads a cell. @param raw its JSON text, which is valid */
function parseCell(raw: string): NotebookCell | { problem: string } {
  if (!raw.startsWith('{')) return { problem: 'is not an object.' }
  const members = membersAt(raw, 0)
  const valueOf = (key: string): unknown => {
    const member = memberOf(members, key)
    return member && (JSON.parse(raw.slice(member.start, member.end)) as unknown)
  }
  const type = valueOf('cell_type')
  if (type !== 'code' && type !== 'markdown' && type !== 'raw')
    return { problem: `has the unknown type ${JSON.stringify(type) ?? '""'}.` }
  const source = joinLines(valueOf('source'))
  const place = memberOf(members, 'source')
  if (source === null || place === undefined) return { problem: 'has no source.' }
  const [id, count] = [valueOf('id'), type === 'code' ? valueOf('execution_count') : null]
  return {
    key: newKey(),
    type,
    source,
    executionCount: typeof count === 'number' ? count : null,
    raw,
    members,
    rawSource: raw.slice(place.start, place.end),
    rest: { head: raw.slice(0, place.start), tail: raw.slice(place.end) },
    ...(typeof id === 'string' && { id }),
  }
}

/** Uses ids as keys, so that a window that loads again knows the cells. In a broken file, several cells share an id. */
function withIdsAsKeys(cells: readonly NotebookCell[]): NotebookCell[] {
  const used = new Set<string>()
  return cells.map((cell) => {
    const key = cell.id === undefined ? cell.key : `id-${cell.id}`
    if (cell.id === undefined || used.has(key)) return cell
    used.add(key)
    return cell.key === key ? cell : { ...cell, key }
  })
}

/** Gives cells the keys that they had: those before and after the changed part, then those with the same id. */
function withKeysOf(before: readonly NotebookCell[], cells: readonly NotebookCell[]): NotebookCell[] {
  const limit = Math.min(before.length, cells.length)
  let first = 0
  while (first < limit && before[first]?.raw === cells[first]?.raw) first += 1
  let last = 0
  while (last < limit - first && before.at(-1 - last)?.raw === cells.at(-1 - last)?.raw) last += 1
  const changed = before.slice(first, before.length - last)
  const used = new Set<string>()
  return cells.map((cell, index) => {
    const same =
      index < first
        ? before[index]
        : index >= cells.length - last
          ? before[before.length - (cells.length - index)]
          : (changed.find(
              ({ id, raw, key }) => !used.has(key) && (raw === cell.raw || (id !== undefined && id === cell.id)),
            ) ?? (changed.length === cells.length - last - first ? changed[index - first] : undefined))
    if (same === undefined || used.has(same.key)) return cell
    used.add(same.key)
    return same.raw === cell.raw ? same : { ...cell, key: same.key }
  })
}

/**
 * Reads a notebook again after changes of its text. A change inside one cell reads only this cell, and one inside its
 * source only the source, however long its outputs are.
 * @param text returns the changed text, for as long as it does not change again
 * @param changes as applied, each to the result of the previous one
 */
export function updateNotebook(
  before: Notebook,
  text: () => string,
  changes: readonly TextChange[],
): Notebook | NotebookProblem {
  const from = Math.min(...changes.map(({ offset }) => offset))
  const delta = changes.reduce((sum, change) => sum + change.text.length - change.length, 0)
  // The end of the changed part in the old text. Changes of one event do not overlap and are sorted from the end.
  const to = Math.max(...changes.map(({ offset, length }) => offset + length))
  const index = before.spans.findIndex(({ start, end }) => start < from && to < end)
  const [cell, span] = [before.cells[index], before.spans[index]]
  if (cell === undefined || span === undefined || !isDescending(changes)) return parseNotebook(text(), before)
  const inCell = changes.map((change) => ({ ...change, offset: change.offset - span.start }))
  const changed = withChangedSource(cell, inCell) ?? withChanges(cell, inCell)
  if (changed === null) return parseNotebook(text(), before)
  return {
    ...before,
    text,
    array: { start: before.array.start, end: before.array.end + delta },
    cells: before.cells.with(index, changed),
    spans: before.spans.map(({ start, end }, position) =>
      position < index ? { start, end } : { start: position === index ? start : start + delta, end: end + delta },
    ),
  }
}

/** Returns a cell after changes inside its source; null if they are elsewhere or the source is no longer valid. */
function withChangedSource(cell: NotebookCell, changes: readonly TextChange[]): NotebookCell | null {
  const place = memberOf(cell.members, 'source')
  if (!place || !changes.every(({ offset, length }) => place.start < offset && offset + length < place.end)) return null
  const inSource = changes.map((change) => ({ ...change, offset: change.offset - place.start }))
  const rawSource = applyTextChanges(cell.rawSource, inSource)
  const source = rawSource === null ? null : joinLines(parsedOrUndefined(rawSource))
  if (rawSource === null || source === null) return null
  const delta = rawSource.length - cell.rawSource.length
  const moved = (at: number): number => (at < place.end ? at : at + delta)
  return {
    ...cell,
    source,
    rawSource,
    // Not one string before something reads it.
    raw: cell.rest.head + rawSource + cell.rest.tail,
    members: cell.members.map(({ key, keyStart, keyEnd, start, end }) => ({
      key,
      keyStart: moved(keyStart),
      keyEnd: moved(keyEnd),
      start: moved(start),
      end: moved(end),
    })),
  }
}

/** Returns a cell after changes inside it; null if it is no longer valid. */
function withChanges(cell: NotebookCell, changes: readonly TextChange[]): NotebookCell | null {
  const changed = applyTextChanges(cell.raw, changes)
  if (changed === null || parsedOrUndefined(changed) === undefined) return null
  const parsed = parseCell(ownString(changed))
  return 'problem' in parsed ? null : { ...parsed, key: cell.key }
}

function parsedOrUndefined(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined
  }
}

/** Copies a part of a text, which would otherwise keep the whole text in memory for as long as the part is used. */
const ownString = (part: string): string => JSON.parse(JSON.stringify(part)) as string

/** Whether each change is before the previous one, so that all offsets are those of the text before. */
const isDescending = (changes: readonly TextChange[]): boolean =>
  changes.every(({ offset, length }, index) => {
    const previous = changes[index - 1]
    return previous === undefined || offset + length <= previous.offset
  })

/** Decodes a member of a cell; undefined if the cell does not have it. */
export function cellMember({ raw, members }: NotebookCell, key: string): unknown {
  const member = memberOf(members, key)
  return member && (JSON.parse(raw.slice(member.start, member.end)) as unknown)
}
