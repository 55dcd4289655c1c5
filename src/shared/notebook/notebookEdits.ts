import { changedSpan } from '../editor/changedSpan.ts'
import type { TextChange } from '../editor/textChanges.ts'
import { elementsAt, memberOf, membersAt, type MemberSpan, type Span } from './jsonSpans.ts'
import { jsonStyleOf, printJson, printString, type JsonStyle } from './jsonStyle.ts'
import { cellMember, type CellType, type Notebook, type NotebookCell } from './notebook.ts'
import { storedOutput, type CellOutput } from './outputs.ts'

// Edits of a notebook as changes of its text. Nothing outside the edited part changes. Lists of changes are in the
// order in which they apply: from the end of the text to its start.

/** Levels around a cell, and around the members of a cell. */
const cellDepth = 2
const memberDepth = 3

/** A UTF-16 unit of a string as it is written in JSON. */
interface Unit {
  raw: string
  unit: string
}

/** Splits the JSON text of a string, with its quotes, into units. */
function unitsOf(raw: string): Unit[] {
  const units: Unit[] = []
  for (let index = 1; index < raw.length - 1;) {
    const length = raw[index] !== '\\' ? 1 : raw[index + 1] === 'u' ? 6 : 2
    const part = raw.slice(index, index + length)
    // Part of a valid JSON string.
    units.push({ raw: part, unit: length === 1 ? part : (JSON.parse(`"${part}"`) as string) })
    index += length
  }
  return units
}

/** Units of new text. A pair of surrogates is printed as one character. */
const newUnits = (text: string, style: JsonStyle): Unit[] =>
  Array.from(text, (unit) => ({ raw: printString(unit, style).slice(1, -1), unit }))

const join = (units: readonly Unit[]): string => `"${units.map(({ raw }) => raw).join('')}"`

/** Splits after each line break. */
function linesOf(units: readonly Unit[]): Unit[][] {
  const lines: Unit[][] = []
  let line: Unit[] = []
  for (const unit of units) {
    line.push(unit)
    if (unit.unit === '\n') {
      lines.push(line)
      line = []
    }
  }
  if (line.length > 0) lines.push(line)
  return lines
}

/** Replaces the source of a cell. Null: it is the same. */
export function editSource(notebook: Notebook, cell: NotebookCell, source: string): TextChange | null {
  const change = sourceChange(notebook, cell, source)
  if (!change) return null
  const { span, text } = change
  return smallest(notebook, cell, cell.rest.head.length + span.start, cell.rawSource.slice(span.start, span.end), text)
}

/** Returns what changes in the JSON text of a source. Null: nothing. */
function sourceChange(
  { style }: Notebook,
  { rawSource, source: before }: NotebookCell,
  source: string,
): { span: Span; text: string } | null {
  if (source === before) return null
  const span = { start: 0, end: rawSource.length }
  return rawSource.startsWith('[')
    ? editLines(rawSource, span, source, style)
    : { span, text: editString(rawSource, source, style) }
}

/** Leaves out what a replacement does not change. @param at where `before` is in the text of the cell */
function smallest(
  { cells, spans }: Notebook,
  cell: NotebookCell,
  at: number,
  before: string,
  text: string,
): TextChange | null {
  const start = spans[cells.indexOf(cell)]?.start
  if (start === undefined) throw new Error('The cell is not in the notebook.')
  const { start: from, oldEnd, newEnd } = changedSpan(before, text)
  if (from === oldEnd && from === newEnd) return null
  return { offset: start + at + from, length: oldEnd - from, text: text.slice(from, newEnd) }
}

/** Writes a changed string. Units that stay are written as before. */
function editString(raw: string, text: string, style: JsonStyle): string {
  const units = unitsOf(raw)
  const before = units.map(({ unit }) => unit).join('')
  const { start, oldEnd, newEnd } = wholeCharacters(before, text)
  return join([...units.slice(0, start), ...newUnits(text.slice(start, newEnd), style), ...units.slice(oldEnd)])
}

/** Like `changedSpan`, without splitting a pair of surrogates. */
function wholeCharacters(before: string, after: string): ReturnType<typeof changedSpan> {
  const span = changedSpan(before, after)
  const splitsAtStart = isHighSurrogate(after[span.start - 1]) || isHighSurrogate(before[span.start - 1])
  const splitsAtEnd = isLowSurrogate(after[span.newEnd]) || isLowSurrogate(before[span.oldEnd])
  return {
    start: span.start - (splitsAtStart ? 1 : 0),
    oldEnd: span.oldEnd + (splitsAtEnd ? 1 : 0),
    newEnd: span.newEnd + (splitsAtEnd ? 1 : 0),
  }
}

const isHighSurrogate = (unit = ''): boolean => /^[\ud800-\udbff]$/.test(unit)
const isLowSurrogate = (unit = ''): boolean => /^[\udc00-\udfff]$/.test(unit)

/** Changes a list of lines. Items that the change does not touch stay as they are. */
function editLines(raw: string, list: Span, source: string, style: JsonStyle): { span: Span; text: string } {
  let length = 0
  const items = elementsAt(raw, list.start).map((span) => {
    const units = unitsOf(raw.slice(span.start, span.end))
    const start = length
    length += units.length
    return { span, units, start, end: length }
  })
  const before = items.flatMap(({ units }) => units.map(({ unit }) => unit)).join('')
  const { start, oldEnd, newEnd } = wholeCharacters(before, source)
  const inserted = newUnits(source.slice(start, newEnd), style)
  const last = items.at(-1)
  const isAppended = start === length && (last === undefined || endsLine(last.units))
  const first = isAppended ? items.length : items.findIndex((item) => start < item.end || item === last)
  const reached = items.findIndex((item, index) => index > first && item.start >= oldEnd)
  let end = reached < 0 ? items.length : reached
  const run = items.slice(first, end)
  const base = run[0]?.start ?? length
  const units = run.flatMap((item) => item.units)
  let changed = [...units.slice(0, start - base), ...inserted, ...units.slice(oldEnd - base)]
  // A line that lost its line break continues with the next item.
  while (endsLine(units) && changed.length > 0 && !endsLine(changed) && end < items.length) {
    changed = [...changed, ...(items[end]?.units ?? [])]
    end += 1
  }
  const spans = items.map(({ span }) => span)
  return replaceItems(raw, list, spans, { first, end }, linesOf(changed).map(join), style)
}

const endsLine = (units: readonly Unit[]): boolean => units.at(-1)?.unit === '\n'

/** Replaces the items from `first` up to `end` with lines, or inserts them. */
function replaceItems(
  raw: string,
  list: Span,
  items: readonly Span[],
  { first, end }: { first: number; end: number },
  lines: readonly string[],
  style: JsonStyle,
): { span: Span; text: string } {
  const [one, two] = items
  if (one === undefined || (first === 0 && end === items.length && lines.length === 0)) {
    if (lines.length === 0) return { span: list, text: '[]' }
    const inner = style.indent === null ? '' : `\n${style.indent.repeat(memberDepth + 1)}`
    const outer = style.indent === null ? '' : `\n${style.indent.repeat(memberDepth)}`
    return { span: list, text: `[${inner}${lines.join(style.indent === null ? style.comma : `,${inner}`)}${outer}]` }
  }
  const lead = raw.slice(list.start + 1, one.start)
  const separator = two ? raw.slice(one.end, two.start) : lead.includes('\n') ? `,${lead}` : style.comma
  const [before, after] = [items[first - 1], items[end]]
  if (lines.length > 0) {
    const [from, to] = [items[first], items[end - 1]]
    const text = lines.join(separator)
    if (from && to && end > first) return { span: { start: from.start, end: to.end }, text }
    const at = items.at(-1)?.end ?? list.start + 1
    return { span: { start: at, end: at }, text: `${separator}${text}` }
  }
  // Items are removed with the separator before or after them.
  if (before) return { span: { start: before.end, end: items[end - 1]?.end ?? before.end }, text: '' }
  return { span: { start: one.start, end: after?.start ?? one.start }, text: '' }
}

export interface NewCell {
  type: CellType
  source: string
  /** Id for nbformat 4.5 and later. */
  id: string
}

/** Writes a new cell like nbformat: keys in order of the alphabet, an id only where the format has ids. */
function printCell({ type, source, id }: NewCell, { style, minor }: Notebook): string {
  const lines = source === '' ? [] : source.split(/(?<=\n)/)
  return printJson(
    {
      cell_type: type,
      ...(type === 'code' && { execution_count: null }),
      ...(minor >= 5 && { id }),
      metadata: {},
      ...(type === 'code' && { outputs: [] }),
      source: lines,
    },
    style,
    cellDepth,
  )
}

/** Inserts a cell before the cell at `index`, or at the end. */
export function insertCell(notebook: Notebook, index: number, cell: NewCell): TextChange {
  return insertRaw(notebook, index, [printCell(cell, notebook)])
}

/** A cell as it was copied, and whether it keeps its id where no other cell has it. */
export interface CopiedCell {
  raw: string
  keepsId: boolean
}

/**
 * Inserts copied cells with their outputs, metadata and attachments, before the cell at `index` or at the end.
 * @param newId returns an id for a cell that cannot keep its own, if the notebook has ids
 */
export function pasteCells(
  notebook: Notebook,
  index: number,
  copied: readonly CopiedCell[],
  newId: () => string,
): TextChange | null {
  const used = new Set<unknown>(notebook.cells.map(({ id }) => id))
  const raws = copied.map(({ raw, keepsId }) => {
    const id = memberOf(membersOfCell(raw), 'id')
    const own = id && (JSON.parse(raw.slice(id.start, id.end)) as unknown)
    const hasIds = notebook.minor >= 5
    if (hasIds && keepsId && own !== undefined && !used.has(own)) {
      used.add(own)
      return raw
    }
    return withMember(raw, 'id', hasIds ? printString(newId(), notebook.style) : undefined, jsonStyleOf(raw))
  })
  return raws.length === 0 ? null : insertRaw(notebook, index, raws)
}

function insertRaw(notebook: Notebook, index: number, raws: readonly string[]): TextChange {
  const { spans, array, style } = notebook
  const text = notebook.text()
  const [first, at, last] = [spans[0], spans[index], spans.at(-1)]
  if (first === undefined || last === undefined) {
    const inner = style.indent === null ? '' : `\n${style.indent.repeat(cellDepth)}`
    const outer = style.indent === null ? '' : `\n${style.indent}`
    return {
      offset: array.start,
      length: array.end - array.start,
      text: `[${inner}${raws.join(inner === '' ? style.comma : `,${inner}`)}${outer}]`,
    }
  }
  const lead = text.slice(array.start + 1, first.start)
  const separator = spans[1] ? text.slice(first.end, spans[1].start) : lead === '' ? style.comma : `,${lead}`
  return at
    ? { offset: at.start, length: 0, text: raws.map((raw) => `${raw}${separator}`).join('') }
    : { offset: last.end, length: 0, text: raws.map((raw) => `${separator}${raw}`).join('') }
}

/** Removes cells with the separators that belong to them. */
export function removeCells({ spans, array }: Notebook, indices: readonly number[]): TextChange[] {
  const removed = new Set(indices)
  const changes: TextChange[] = []
  for (let last = spans.length - 1; last >= 0; last -= 1) {
    if (!removed.has(last)) continue
    let first = last
    while (removed.has(first - 1)) first -= 1
    const [before, from, to, after] = [spans[first - 1], spans[first], spans[last], spans[last + 1]]
    if (!from || !to) continue
    const [start, end] = before
      ? [before.end, to.end]
      : after
        ? [from.start, after.start]
        : [array.start + 1, array.end - 1]
    changes.push({ offset: start, length: end - start, text: '' })
    last = first
  }
  return changes
}

/** Moves cells by one position up (-1) or down (1), as far as they can. Their texts stay the same. */
export function moveCells(notebook: Notebook, indices: readonly number[], step: -1 | 1): TextChange | null {
  const moved = new Set(indices)
  const order = notebook.cells.map((_, index) => index)
  const places = step < 0 ? order.slice() : order.toReversed()
  for (const place of places) {
    const [index, next] = [order[place], order[place + step]]
    // A cell that cannot move holds those behind it.
    if (index === undefined || next === undefined || !moved.has(index) || moved.has(next)) continue
    order[place] = next
    order[place + step] = index
  }
  return reorderCells(notebook, order)
}

/** @param order the present positions of the cells in their new order */
function reorderCells(notebook: Notebook, order: readonly number[]): TextChange | null {
  const { cells, spans } = notebook
  const text = notebook.text()
  const from = order.findIndex((index, place) => index !== place)
  const to = order.findLastIndex((index, place) => index !== place)
  const [first, last] = [spans[from], spans[to]]
  if (!first || !last) return null
  const printed = order.slice(from, to + 1).map((index, place) => {
    // The separators stay where they are.
    const [span, next] = [spans[from + place], spans[from + place + 1]]
    const separator = span && next && from + place < to ? text.slice(span.end, next.start) : ''
    return `${cells[index]?.raw ?? ''}${separator}`
  })
  return { offset: first.start, length: last.end - first.start, text: printed.join('') }
}

/** Returns why cells cannot be merged without a change that nobody sees; undefined if they can. */
export function mergeProblem(notebook: Notebook, indices: readonly number[]): string | undefined {
  const sorted = indices.toSorted((one, other) => one - other)
  const merged = sorted.flatMap((index) => notebook.cells[index] ?? [])
  const first = sorted[0] ?? 0
  if (sorted.some((index, place) => index !== first + place))
    return 'Between the selected cells are others, so merging would change the order. Select cells without a gap.'
  if (new Set(merged.map(({ type }) => type)).size > 1)
    return 'The selected cells have different types. Change them to one type first.'
  const isCode = merged[0]?.type === 'code'
  if (isCode && merged.slice(1).some((cell) => Object.keys(attachmentsOf(cell)).length > 0))
    return 'A code cell has no attachments, so those of the other cells would be lost. Change the cells to Markdown first.'
  return undefined
}

const attachmentsOf = (cell: NotebookCell): object => cellMember(cell, 'attachments') ?? {}

/**
 * Merges cells into the first of them, which keeps its type, id and metadata. It gets the attachments of all, with other
 * names for those that have the name of another one. Outputs are left out, because they are not those of the merged code.
 */
export function mergeCells(notebook: Notebook, indices: readonly number[]): TextChange[] {
  const { style } = notebook
  const merged = indices.toSorted((one, other) => one - other).flatMap((index) => notebook.cells[index] ?? [])
  const [cell] = merged
  if (!cell || merged.length < 2) return []
  const { sources, attachments } = withDistinctAttachments(merged)
  const source = sources.join(cell.type === 'code' ? '\n' : '\n\n')
  const change = sourceChange(notebook, cell, source)
  const { head, tail } = cell.rest
  const after =
    change && cell.rawSource.slice(0, change.span.start) + change.text + cell.rawSource.slice(change.span.end)
  let raw = after === null ? cell.raw : head + after + tail
  if (cell.type === 'code') {
    raw = withMember(raw, 'outputs', '[]', style)
    raw = withMember(raw, 'execution_count', 'null', style)
  } else if (attachments.size > Object.keys(attachmentsOf(cell)).length)
    raw = withMember(raw, 'attachments', printJson(Object.fromEntries(attachments), style, memberDepth), style)
  const own = replaceCell(notebook, cell, raw)
  const others = merged.slice(1).map((each) => notebook.cells.indexOf(each))
  return [...removeCells(notebook, others), ...(own ? [own] : [])]
}

/** Returns the sources and all attachments of cells. One with the name of another gets a new name, in the source too. */
function withDistinctAttachments(cells: readonly NotebookCell[]): {
  sources: string[]
  attachments: Map<string, unknown>
} {
  const attachments = new Map<string, unknown>()
  const used = new Set(cells.flatMap((cell) => Object.keys(attachmentsOf(cell))))
  const sources = cells.map((cell) => {
    const renamed = new Map<string, string>()
    for (const [name, content] of Object.entries(attachmentsOf(cell))) {
      const known = attachments.get(name)
      const isTaken = known !== undefined && JSON.stringify(known) !== JSON.stringify(content)
      const own = isTaken ? freeName(name, used) : name
      used.add(own)
      attachments.set(own, content)
      if (isTaken) renamed.set(name, own)
    }
    return renamed.size === 0 ? cell.source : withAttachmentNames(cell.source, renamed)
  })
  return { sources, attachments }
}

/** Returns a name that is not used, with a number before the ending. */
function freeName(name: string, used: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.')
  const [start, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let number = 2
  while (used.has(`${start}-${number}${ending}`)) number += 1
  return `${start}-${number}${ending}`
}

const attachmentScheme = 'attachment:'

/** Changes the names in addresses such as `attachment:image.png`. Markdown has them plain or percent-encoded. */
function withAttachmentNames(source: string, renamed: ReadonlyMap<string, string>): string {
  const forms = [...renamed].flatMap(([from, to]) =>
    [(name: string) => name, encodeURI, encodeURIComponent].map(
      (form) => [form(from.toWellFormed()), form(to.toWellFormed())] as const,
    ),
  )
  const [before, ...parts] = source.split(attachmentScheme)
  const changed = parts.map((part) => {
    const form = forms.find(([from]) => part.startsWith(from) && endsAddress(part[from.length]))
    return form ? form[1] + part.slice(form[0].length) : part
  })
  return [before, ...changed].join(attachmentScheme)
}

const endsAddress = (next: string | undefined): boolean => next === undefined || ' \t\r\n)]>"\'#?'.includes(next)

/** Sets or, with `undefined`, removes a member of a cell's text. */
function withMember(raw: string, key: string, value: string | undefined, style: JsonStyle): string {
  const members = membersOfCell(raw)
  const index = members.findLastIndex((member) => member.key === key)
  const [member, before, after] = [members[index], members[index - 1], members[index + 1]]
  if (member !== undefined) {
    if (value !== undefined) return raw.slice(0, member.start) + value + raw.slice(member.end)
    if (before) return raw.slice(0, before.end) + raw.slice(member.end)
    return after ? raw.slice(0, member.keyStart) + raw.slice(after.keyStart) : raw
  }
  const [first, second] = members
  if (value === undefined || first === undefined) return raw
  const lead = raw.slice(1, first.keyStart)
  const separator = second ? raw.slice(first.end, second.keyStart) : lead === '' ? style.comma : `,${lead}`
  const printed = `${printString(key, style)}${style.colon}${value}`
  const next = members.find((other) => other.key > key)
  if (next) return `${raw.slice(0, next.keyStart)}${printed}${separator}${raw.slice(next.keyStart)}`
  const end = members.at(-1)?.end ?? 1
  return `${raw.slice(0, end)}${separator}${printed}${raw.slice(end)}`
}

const membersOfCell = (raw: string): MemberSpan[] => membersAt(raw, 0)

/** Changes the type of a cell. Only code cells have outputs and a number. */
export function changeType(notebook: Notebook, cell: NotebookCell, type: CellType): TextChange | null {
  const { style } = notebook
  if (cell.type === type) return null
  const set: [string, string | undefined][] = [['cell_type', printString(type, style)]]
  if (type === 'code') set.push(['execution_count', 'null'], ['outputs', '[]'])
  else set.push(['execution_count', undefined], ['outputs', undefined])
  return replaceCell(
    notebook,
    cell,
    set.reduce((raw, [key, value]) => withMember(raw, key, value, style), cell.raw),
  )
}

/** Replaces the outputs and the number of a code cell. */
export function setOutputs(
  notebook: Notebook,
  cell: NotebookCell,
  outputs: readonly CellOutput[],
  executionCount: number | null,
): TextChange | null {
  const { style } = notebook
  const printed = printJson(outputs.map(storedOutput), style, memberDepth)
  const counted = withMember(cell.raw, 'execution_count', String(executionCount), style)
  return replaceCell(notebook, cell, withMember(counted, 'outputs', printed, style))
}

function replaceCell(notebook: Notebook, cell: NotebookCell, raw: string): TextChange | null {
  return smallest(notebook, cell, 0, cell.raw, raw)
}

/** The text of a new notebook with one empty code cell. */
export const newNotebookText = (id: string): string =>
  `${printJson(
    {
      cells: [{ cell_type: 'code', execution_count: null, id, metadata: {}, outputs: [], source: [] }],
      metadata: {
        kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
        language_info: { name: 'python' },
      },
      nbformat: 4,
      nbformat_minor: 5,
    },
    { indent: ' ', colon: ': ', comma: ', ', ascii: false },
    0,
  )}\n`

/** Returns a random id as nbformat 4.5 asks for: 8 hexadecimal digits. */
export function newCellId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
