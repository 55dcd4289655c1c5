import { randomUUID } from 'node:crypto'
import type * as lsp from 'vscode-languageserver-protocol'
import type {
  CompletionDetail,
  CompletionItem,
  CompletionList,
  RangeEdit,
  SignatureHelp,
  TextRange,
} from '../../../shared/language/languageServers.ts'
import type { LineText } from '../lineText.ts'
import { markdownOf, type DocumentServer, type QueryServers, type FilePosition } from './featureServer.ts'

/** Maximum number of items sent to the window. TypeScript offers every global name. */
const maxItems = 3000
/** Lists whose items can be resolved. */
const keptLists = 3

export function rangeEdits(
  { codec }: Pick<DocumentServer, 'codec'>,
  lines: DocumentServer['lines'] | null,
  edits: readonly lsp.TextEdit[],
): RangeEdit[] {
  return edits.map(({ range, newText }) => ({
    range: codec.rangeFromServer(lines, range),
    text: newText.replaceAll('\r\n', '\n'),
  }))
}

/** Completions and signature help from language servers. Null if no server responds. */
export function createCompletion(query: QueryServers) {
  /** The last list that the server calls complete. */
  let complete: CompleteList | undefined
  const lists = new Map<string, { answering: DocumentServer; items: readonly lsp.CompletionItem[] }>()

  function keep(answering: DocumentServer, items: readonly lsp.CompletionItem[]): string {
    const id = randomUUID()
    lists.set(id, { answering, items })
    for (const old of [...lists.keys()].slice(0, -keptLists)) lists.delete(old)
    return id
  }

  return {
    async completion(
      { trigger, ...place }: FilePosition & { trigger?: string | undefined },
      signal?: AbortSignal,
    ): Promise<CompletionList | null> {
      const list = await query(
        place.path,
        'textDocument/completion',
        async (answering) => {
          const { uri, codec, lines } = answering
          const typed = typedWord(lines, place)
          if (trigger === undefined && complete && hasNoMatch(complete, answering, typed, matcherAt(lines, place))) {
            complete.requested = typed.word
            return complete.list
          }
          const connection = connectionOf(answering)
          const found = await answering.request('textDocument/completion', {
            textDocument: { uri },
            position: codec.toServer(lines, place),
            context: trigger === undefined ? { triggerKind: 1 } : { triggerKind: 2, triggerCharacter: trigger },
          })
          if (found === null) return null
          const { items, isIncomplete, itemDefaults } = listOf(found)
          const filters = items.map((item) => filterOf(item, itemDefaults.editRange))
          const matching = matchingItems(items, filters, matcherAt(lines, place))
          const kept = matching.slice(0, maxItems).map((item) => withDefaults(item, itemDefaults))
          const sent = {
            id: keep(answering, kept),
            ...withoutRepetition(kept.map((item) => completionItem(answering, item))),
            incomplete: isIncomplete || matching.length > maxItems,
          }
          complete =
            isIncomplete || items.length === 0
              ? undefined
              : { answering, typed, requested: typed.word, filters, connection, at: Date.now(), list: onlyFirst(sent) }
          return sent
        },
        { signal, latest: 'completion' },
      )
      return list ?? null
    },

    async resolveCompletion(id: string, index: number): Promise<CompletionDetail | null> {
      const list = lists.get(id)
      const item = list?.items[index]
      if (!list || !item) return null
      const { answering } = list
      const provider = answering.server.running()?.connection.capabilities.completionProvider
      if (provider?.resolveProvider !== true) return null
      const resolved = await answering.request('completionItem/resolve', item)
      return resolved && detailOf(answering, resolved)
    },

    async signatureHelp(
      { trigger, retrigger, ...place }: FilePosition & { trigger?: string | undefined; retrigger: boolean },
      signal?: AbortSignal,
    ): Promise<SignatureHelp | null> {
      const help = await query(
        place.path,
        'textDocument/signatureHelp',
        async (answering) => {
          const { uri, codec, lines } = answering
          const found = await answering.request('textDocument/signatureHelp', {
            textDocument: { uri },
            position: codec.toServer(lines, place),
            context: {
              isRetrigger: retrigger,
              ...(trigger === undefined ? { triggerKind: 1 } : { triggerKind: 2, triggerCharacter: trigger }),
            },
          })
          if (!found || found.signatures.length === 0) return null
          return {
            signatures: found.signatures.map(signature),
            activeSignature: found.activeSignature ?? 0,
            activeParameter: found.activeParameter ?? 0,
          }
        },
        { signal, latest: 'signatureHelp' },
      )
      return help ?? null
    },
  }
}

const connectionOf = ({ server }: DocumentServer): object | undefined => server.running()?.connection

function signature({ label, documentation, parameters, activeParameter }: lsp.SignatureInformation) {
  return {
    label,
    ...documentationOf(documentation),
    parameters: (parameters ?? []).map((parameter) => ({
      label: parameter.label,
      ...documentationOf(parameter.documentation),
    })),
    ...(typeof activeParameter === 'number' && { activeParameter }),
  }
}

function documentationOf(content: string | lsp.MarkupContent | null | undefined): { documentation?: string } {
  const documentation = markdownOf(content)
  return documentation === '' ? {} : { documentation }
}

function detailOf(answering: DocumentServer, item: lsp.CompletionItem): CompletionDetail {
  const { detail, additionalTextEdits } = item
  return {
    ...(typeof detail === 'string' && { detail }),
    ...documentationOf(item.documentation),
    ...(additionalTextEdits && { additionalEdits: rangeEdits(answering, answering.lines, additionalTextEdits) }),
  }
}

/** Returns the items of a response and what they share. Some servers send null for fields that have no value. */
function listOf(found: lsp.CompletionItem[] | lsp.CompletionList): {
  items: readonly lsp.CompletionItem[]
  isIncomplete: boolean
  itemDefaults: NonNullable<lsp.CompletionList['itemDefaults']>
} {
  const { items, isIncomplete, itemDefaults } = Array.isArray(found)
    ? { items: found, isIncomplete: false, itemDefaults: undefined }
    : found
  return {
    items: (items ?? []).map(wellFormed),
    isIncomplete: isIncomplete ?? false,
    itemDefaults: withoutNulls(itemDefaults ?? {}),
  }
}

/** Returns an item without null fields, and without an edit that has no range. */
function wellFormed(item: lsp.CompletionItem): lsp.CompletionItem {
  const known = withoutNulls(item)
  const { label, textEdit, ...others } = known
  if (typeof label === 'string' && (textEdit === undefined || hasRange(textEdit))) return known
  return { ...others, label: String(label), ...(textEdit && hasRange(textEdit) && { textEdit }) }
}

/** Returns a value without the fields that are null. Most have none and are not copied. */
function withoutNulls<T extends object>(value: T): T {
  for (const key in value)
    // A part of an object, which has the type of the whole if the fields are optional.
    if (value[key] === null) return Object.fromEntries(Object.entries(value).filter((entry) => entry[1] !== null)) as T
  return value
}

const isRange = (range: lsp.Range | null | undefined): boolean =>
  typeof range?.start?.line === 'number' && typeof range.end?.line === 'number'

const hasRange = (edit: lsp.TextEdit | lsp.InsertReplaceEdit): boolean =>
  'insert' in edit ? isRange(edit.insert) && isRange(edit.replace) : isRange(edit.range)

function withDefaults(
  item: lsp.CompletionItem,
  defaults: NonNullable<lsp.CompletionList['itemDefaults']>,
): lsp.CompletionItem {
  const { commitCharacters, editRange, insertTextFormat, insertTextMode, data } = defaults
  const newText = item.textEditText ?? item.insertText ?? item.label
  const textEdit =
    item.textEdit ??
    (editRange === undefined
      ? undefined
      : 'insert' in editRange
        ? { newText, ...editRange }
        : { newText, range: editRange })
  return {
    ...(commitCharacters && { commitCharacters }),
    ...(insertTextFormat !== undefined && { insertTextFormat }),
    ...(insertTextMode !== undefined && { insertTextMode }),
    ...(data !== undefined && { data }),
    ...item,
    ...(textEdit && { textEdit }),
  }
}

/** A word before the cursor, by the offsets of its start and end in the text. */
interface TypedWord {
  start: number
  end: number
  word: string
}

/** All names that a server knows at a place. */
interface CompleteList {
  answering: DocumentServer
  /** The server's connection, which a restart replaces. */
  connection: object | undefined
  typed: TypedWord
  /** The word of the last request that this list answered. */
  requested: string
  filters: readonly ItemFilter[]
  /** Milliseconds since the epoch. */
  at: number
  /** What is sent if nothing matches. */
  list: CompletionList
}

/** What decides whether an item can match the text before the cursor. */
interface ItemFilter {
  letters: number
  /** Where the text begins that the item replaces. Default: with the word. */
  start: lsp.Position | undefined
}

/** Milliseconds for which a list without a match stays valid, because other files may change. */
const completeListTime = 5000

/** The part before the cursor in which a word is looked for, so that a long line takes no longer. */
const endOf = (text: string): string => text.slice(-200)

function typedWord(lines: LineText, place: { line: number; column: number }): TypedWord {
  const word = /[\w$]+$/.exec(endOf(lines.line(place.line - 1).slice(0, place.column - 1)))?.[0] ?? ''
  const end = lines.offsetOf(place)
  return { start: end - word.length, end, word }
}

/**
 * Whether the last list has no match for a word that has become longer since, with the same text around it. The editor
 * asks again after each key of a new name, and the server would send all names again. A second request for the same word
 * is one of the user, who wants what the server knows now.
 */
function hasNoMatch(
  { answering: before, connection, typed: earlier, requested, filters, at }: CompleteList,
  answering: DocumentServer,
  typed: TypedWord,
  matches: (filter: ItemFilter) => boolean,
): boolean {
  if (before.server !== answering.server || connection !== connectionOf(answering)) return false
  if (before.path !== answering.path || earlier.start !== typed.start) return false
  if (typed.word.length <= requested.length || !typed.word.startsWith(requested)) return false
  if (Date.now() - at > completeListTime || filters.some(matches)) return false
  const [text, textBefore] = [answering.lines.text, before.lines.text]
  return (
    text.slice(0, typed.start) === textBefore.slice(0, earlier.start) &&
    text.slice(typed.end) === textBefore.slice(earlier.end)
  )
}

function filterOf(
  { label, filterText, textEdit }: lsp.CompletionItem,
  defaultRange: EditRange | undefined,
): ItemFilter {
  const range = textEdit ?? defaultRange
  return { letters: lettersOf(typeof filterText === 'string' ? filterText : label), start: range && startOf(range) }
}

const onlyFirst = (list: CompletionList): CompletionList => ({ ...list, items: list.items.slice(0, 1) })

/**
 * Returns the items that can match what is typed before the cursor: those with all of its letters and digits. The editor
 * then compares more exactly, also while the word becomes longer, and asks again when it becomes shorter. Returns at
 * least one item, because the editor would otherwise ask its own word lists.
 */
function matchingItems(
  items: readonly lsp.CompletionItem[],
  filters: readonly ItemFilter[],
  matches: (filter: ItemFilter) => boolean,
): readonly lsp.CompletionItem[] {
  const matching = items.filter((_item, index) => {
    const filter = filters[index]
    return filter === undefined || matches(filter)
  })
  return matching.length > 0 ? matching : items.slice(0, 1)
}

/** Returns a predicate for the items that can match the text before a position. */
function matcherAt(
  lines: LineText,
  { line, column }: { line: number; column: number },
): (filter: ItemFilter) => boolean {
  const before = lines.line(line - 1).slice(0, column - 1)
  const wordStart = before.length - (/[a-z\d]+$/i.exec(endOf(before))?.[0].length ?? 0)
  // The server may count other characters differently. Then nothing is left out.
  const countsAlike = lettersOf(before) !== anyLetter
  /** Letters from an offset of the line to the cursor. */
  const typed = new Map<number, number>()
  return ({ letters: known, start }) => {
    const from =
      start?.line !== line - 1 ? wordStart : Math.max(wordStart, countsAlike ? start.character : before.length)
    const letters = typed.get(from) ?? lettersOf(before.slice(from))
    typed.set(from, letters)
    return letters === anyLetter || (letters & ~known) === 0
  }
}

type EditRange = NonNullable<NonNullable<lsp.CompletionList['itemDefaults']>['editRange']>

function startOf(edit: lsp.TextEdit | lsp.InsertReplaceEdit | EditRange): lsp.Position {
  if ('insert' in edit) return edit.insert.start
  return 'range' in edit ? edit.range.start : edit.start
}

/** Bits of a text with characters beyond ASCII, whose lower case may be any letter. */
const anyLetter = -1

/** Returns which letters and digits a text has, whatever their case, as bits. Two digits share a bit. */
function lettersOf(text: string): number {
  let letters = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code > 0x7f) return anyLetter
    const lower = code | 0x20
    if (lower >= 0x61 && lower <= 0x7a) letters |= 1 << (lower - 0x61)
    else if (code >= 0x30 && code <= 0x39) letters |= 1 << (26 + ((code - 0x30) % 5))
  }
  return letters
}

/** Moves the range and the commit characters that most items share to the defaults of the list. */
function withoutRepetition(items: readonly CompletionItem[]): Pick<CompletionList, 'items' | 'defaults'> {
  const range = items[0]?.range
  // An item without a range replaces the word, which the defaults cannot say.
  const sharesRange = range !== undefined && items.every((item) => item.range !== undefined)
  const commitCharacters = items.find((item) => item.commitCharacters !== undefined)?.commitCharacters
  const commit = commitCharacters?.join('\n')
  return {
    defaults: { ...(sharesRange && { range }), ...(commitCharacters && { commitCharacters }) },
    items: items.map(({ range: own, commitCharacters: characters, ...item }) => ({
      ...item,
      ...(own && !(sharesRange && isSameRange(own, range)) && { range: own }),
      ...(commitCharacters && characters?.join('\n') !== commit && { commitCharacters: characters ?? [] }),
    })),
  }
}

const isSameRange = (one: TextRange, other: TextRange): boolean =>
  one.startLine === other.startLine &&
  one.startColumn === other.startColumn &&
  one.endLine === other.endLine &&
  one.endColumn === other.endColumn

function completionItem(answering: DocumentServer, item: lsp.CompletionItem): CompletionItem {
  const { label, labelDetails, kind = 1, sortText, filterText, textEdit, commitCharacters, preselect } = item
  const insertText = (textEdit?.newText ?? item.insertText ?? label).replaceAll('\r\n', '\n')
  const { lines, codec } = answering
  const range = textEdit && ('insert' in textEdit ? textEdit.insert : textEdit.range)
  return {
    label,
    kind,
    ...(insertText !== label && { insertText }),
    ...(item.insertTextFormat === 2 && { snippet: true }),
    ...(typeof labelDetails?.detail === 'string' && { labelDetail: labelDetails.detail }),
    ...(typeof labelDetails?.description === 'string' && { description: labelDetails.description }),
    ...(typeof sortText === 'string' && { sortText }),
    ...(typeof filterText === 'string' && { filterText }),
    ...(range && { range: codec.rangeFromServer(lines, range) }),
    ...(textEdit && 'replace' in textEdit && { replaceRange: codec.rangeFromServer(lines, textEdit.replace) }),
    ...(commitCharacters && { commitCharacters }),
    ...(preselect === true && { preselect }),
    ...((item.deprecated === true || item.tags?.includes(1) === true) && { deprecated: true }),
    ...detailOf(answering, item),
  }
}
