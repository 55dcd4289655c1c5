import type { CompletionItem, LanguageFeatures } from '../../shared/language/languageServers.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { requestFromServers, pathOfModel, toMonacoEdits, toMonacoRange } from './serverRequests.ts'

const { CompletionItemKind: Kind, CompletionItemInsertTextRule, CompletionItemTag } = monaco.languages

/** Monaco's kinds in the order of the Language Server Protocol, which starts at 1. */
const kinds = [
  Kind.Text,
  Kind.Method,
  Kind.Function,
  Kind.Constructor,
  Kind.Field,
  Kind.Variable,
  Kind.Class,
  Kind.Interface,
  Kind.Module,
  Kind.Property,
  Kind.Unit,
  Kind.Value,
  Kind.Enum,
  Kind.Keyword,
  Kind.Snippet,
  Kind.Color,
  Kind.File,
  Kind.Reference,
  Kind.Folder,
  Kind.EnumMember,
  Kind.Constant,
  Kind.Struct,
  Kind.Event,
  Kind.Operator,
  Kind.TypeParameter,
]

/** An item with its index in the server's list, for `resolveCompletionItem`. */
interface ListedItem extends monaco.languages.CompletionItem {
  list: string
  index: number
}

function listedItem(item: CompletionItem, list: string, index: number, word: monaco.IRange): ListedItem {
  const { label, labelDetail, description, kind, detail, documentation, range, replaceRange, additionalEdits } = item
  const insert = range ? toMonacoRange(range) : word
  return {
    list,
    index,
    label: {
      label,
      ...(labelDetail !== undefined && { detail: labelDetail }),
      ...(description !== undefined && { description }),
    },
    kind: kinds[kind - 1] ?? Kind.Text,
    insertText: item.insertText ?? label,
    ...(item.snippet === true && { insertTextRules: CompletionItemInsertTextRule.InsertAsSnippet }),
    range: replaceRange ? { insert, replace: toMonacoRange(replaceRange) } : insert,
    ...(detail !== undefined && { detail }),
    ...(documentation !== undefined && { documentation: { value: documentation } }),
    ...(item.sortText !== undefined && { sortText: item.sortText }),
    ...(item.filterText !== undefined && { filterText: item.filterText }),
    ...(item.commitCharacters && { commitCharacters: item.commitCharacters }),
    ...(item.preselect === true && { preselect: true }),
    ...(item.deprecated === true && { tags: [CompletionItemTag.Deprecated] }),
    ...(additionalEdits && { additionalTextEdits: toMonacoEdits(additionalEdits) }),
  }
}

export function completionProvider({ completionTriggers }: LanguageFeatures): monaco.languages.CompletionItemProvider {
  return {
    triggerCharacters: completionTriggers,
    async provideCompletionItems(model, position, context, token) {
      const { triggerCharacter } = context
      const list = await requestFromServers('language.completion', {
        path: pathOfModel(model),
        line: position.lineNumber,
        column: position.column,
        ...(triggerCharacter !== undefined && { trigger: triggerCharacter }),
      })
      if (list === null || token.isCancellationRequested || model.isDisposed()) return null
      const { startColumn, endColumn } = model.getWordUntilPosition(position)
      const word = new monaco.Range(position.lineNumber, startColumn, position.lineNumber, endColumn)
      return {
        suggestions: list.items.map((item, index) => listedItem({ ...list.defaults, ...item }, list.id, index, word)),
        incomplete: list.incomplete,
      }
    },
    async resolveCompletionItem(item) {
      const { list, index } = item as ListedItem // Monaco passes back the items of this provider.
      const resolved = await requestFromServers('language.resolveCompletion', { list, index })
      if (resolved === null) return item
      const { detail, documentation, additionalEdits } = resolved
      return {
        ...item,
        ...(detail !== undefined && { detail }),
        ...(documentation !== undefined && { documentation: { value: documentation } }),
        ...(additionalEdits && { additionalTextEdits: toMonacoEdits(additionalEdits) }),
      }
    },
  }
}

export function signatureProvider({
  signatureTriggers,
  signatureRetriggers,
}: LanguageFeatures): monaco.languages.SignatureHelpProvider {
  return {
    signatureHelpTriggerCharacters: signatureTriggers,
    signatureHelpRetriggerCharacters: signatureRetriggers,
    async provideSignatureHelp(model, position, token, context) {
      const { triggerCharacter, isRetrigger } = context
      const help = await requestFromServers('language.signatureHelp', {
        path: pathOfModel(model),
        line: position.lineNumber,
        column: position.column,
        retrigger: isRetrigger,
        ...(triggerCharacter !== undefined && { trigger: triggerCharacter }),
      })
      if (help === null || token.isCancellationRequested) return null
      const text = (value: string | undefined) => (value === undefined ? {} : { documentation: { value } })
      return {
        value: {
          activeSignature: help.activeSignature,
          activeParameter: help.activeParameter,
          signatures: help.signatures.map(({ label, documentation, parameters, activeParameter }) => ({
            label,
            ...text(documentation),
            parameters: parameters.map((parameter) => ({ label: parameter.label, ...text(parameter.documentation) })),
            ...(activeParameter !== undefined && { activeParameter }),
          })),
        },
        dispose: () => undefined,
      }
    },
  }
}
