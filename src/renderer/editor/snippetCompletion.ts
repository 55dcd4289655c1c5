import type { Snippet } from '../../shared/editor/snippets.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { once } from '../../shared/async/once.ts'

/** Milliseconds for which a list of snippets is reused. */
const maxAge = 5000

let cached: { at: number; snippets: Promise<readonly Snippet[]> } | undefined

function allSnippets(): Promise<readonly Snippet[]> {
  if (cached === undefined || performance.now() - cached.at > maxAge)
    // Without a response there are no snippets. The next completion tries again.
    cached = { at: performance.now(), snippets: request('snippets.list', {}).catch(() => []) }
  return cached.snippets
}

const provider: monaco.languages.CompletionItemProvider = {
  async provideCompletionItems(model, position) {
    const language = model.getLanguageId()
    const snippets = (await allSnippets()).filter(({ languages }) => languages === null || languages.includes(language))
    const { startColumn, endColumn } = model.getWordUntilPosition(position)
    const range = new monaco.Range(position.lineNumber, startColumn, position.lineNumber, endColumn)
    return {
      suggestions: snippets.flatMap(({ name, prefixes, body, description }) =>
        prefixes.map((prefix) => ({
          label: { label: prefix, description: name },
          kind: monaco.languages.CompletionItemKind.Snippet,
          insertText: body,
          insertTextRules: monaco.languages.CompletionItemInsertTextRule.InsertAsSnippet,
          detail: name,
          documentation: description === '' ? body : `${description}\n\n${body}`,
          range,
        })),
      ),
    }
  },
}

/** Loads the snippets again at the next completion. */
function forget(): void {
  cached = undefined
}

/** Suggests the snippets of the user, trusted folders and extensions in all languages. */
export const registerSnippets = once((): void => {
  on('snippets.changed', forget)
  on('extensions.changed', forget)
  monaco.languages.registerCompletionItemProvider({ scheme: 'file' }, provider)
})
