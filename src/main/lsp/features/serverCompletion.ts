import { randomUUID } from 'node:crypto'
import type * as lsp from 'vscode-languageserver-protocol'
import type {
  CompletionDetail,
  CompletionItem,
  CompletionList,
  RangeEdit,
  SignatureHelp,
} from '../../../shared/language/languageServers.ts'
import { markdownOf, type DocumentServer, type QueryServers, type FilePosition } from './featureServer.ts'

/** Maximum number of items sent to the window. TypeScript offers every global name, and typing filters them. */
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
          const found = await answering.request('textDocument/completion', {
            textDocument: { uri },
            position: codec.toServer(lines, place),
            context: trigger === undefined ? { triggerKind: 1 } : { triggerKind: 2, triggerCharacter: trigger },
          })
          if (found === null) return null
          const { items, isIncomplete, itemDefaults } = Array.isArray(found)
            ? { items: found, isIncomplete: false, itemDefaults: undefined }
            : found
          const kept = items.slice(0, maxItems).map((item) => withDefaults(item, itemDefaults))
          return {
            id: keep(answering, kept),
            items: kept.map((item) => completionItem(answering, item)),
            incomplete: isIncomplete || items.length > maxItems,
          }
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

function signature({ label, documentation, parameters = [], activeParameter }: lsp.SignatureInformation) {
  return {
    label,
    ...documentationOf(documentation),
    parameters: parameters.map((parameter) => ({
      label: parameter.label,
      ...documentationOf(parameter.documentation),
    })),
    ...(typeof activeParameter === 'number' && { activeParameter }),
  }
}

function documentationOf(content: string | lsp.MarkupContent | undefined): { documentation?: string } {
  const documentation = markdownOf(content)
  return documentation === '' ? {} : { documentation }
}

function detailOf(answering: DocumentServer, item: lsp.CompletionItem): CompletionDetail {
  const { detail, additionalTextEdits } = item
  return {
    ...(detail !== undefined && { detail }),
    ...documentationOf(item.documentation),
    ...(additionalTextEdits && { additionalEdits: rangeEdits(answering, answering.lines, additionalTextEdits) }),
  }
}

function withDefaults(item: lsp.CompletionItem, defaults: lsp.CompletionList['itemDefaults'] = {}): lsp.CompletionItem {
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

function completionItem(answering: DocumentServer, item: lsp.CompletionItem): CompletionItem {
  const { label, labelDetails, kind = 1, sortText, filterText, textEdit, commitCharacters, preselect } = item
  const insertText = textEdit?.newText ?? item.insertText ?? label
  const { lines, codec } = answering
  const range = textEdit && ('insert' in textEdit ? textEdit.insert : textEdit.range)
  return {
    label,
    kind,
    insertText: insertText.replaceAll('\r\n', '\n'),
    snippet: item.insertTextFormat === 2,
    ...(labelDetails?.detail !== undefined && { labelDetail: labelDetails.detail }),
    ...(labelDetails?.description !== undefined && { description: labelDetails.description }),
    ...(sortText !== undefined && { sortText }),
    ...(filterText !== undefined && { filterText }),
    ...(range && { range: codec.rangeFromServer(lines, range) }),
    ...(textEdit && 'replace' in textEdit && { replaceRange: codec.rangeFromServer(lines, textEdit.replace) }),
    ...(commitCharacters && { commitCharacters }),
    ...(preselect === true && { preselect }),
    ...((item.deprecated === true || item.tags?.includes(1) === true) && { deprecated: true }),
    ...detailOf(answering, item),
  }
}
