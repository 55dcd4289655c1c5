import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { once } from '../../../shared/async/once.ts'
import { useApp } from '../../platform/appState.ts'
import type { EditorExtension } from '../../platform/editor/editorExtensions.ts'
import { monaco, pathOf } from '../../platform/editor/monaco/monaco.ts'
import { attempt, notify } from '../../platform/notices.ts'
import { quickPick } from '../../platform/quickPick/quickPick.ts'
import type { Expansion } from './expandEmmet.ts'

type Editor = monaco.editor.ICodeEditor
/** Monaco's text model has this method, but its types do not. */
type EmbeddingModel = monaco.editor.ITextModel & {
  getLanguageIdAtPosition?(line: number, column: number): string
}

/** Longest text before the cursor that is searched for the block or tag around it, in UTF-16 units. */
const maxContext = 50_000
const triggerCharacters = '!.}:*$]/>0123456789'.split('')

/** Loaded in the first file that has Emmet. */
const loadEmmet = once(() => import('./expandEmmet.ts'))

/** Emmet's syntaxes by language. */
const syntaxes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['html', 'vue', 'svelte', 'astro', 'php', 'razor', 'handlebars', 'twig', 'liquid'].map((id) => [id, 'html']),
  ),
  xml: 'xml',
  xsl: 'xsl',
  pug: 'pug',
  javascriptreact: 'jsx',
  typescriptreact: 'jsx',
  css: 'css',
  scss: 'scss',
  sass: 'sass',
  less: 'less',
  stylus: 'stylus',
}
const styleSyntaxes: ReadonlySet<string> = new Set(['css', 'scss', 'sass', 'less', 'stylus'])

/** Emmet's syntax of a file. Monaco has one language for TypeScript with and without JSX. */
function syntaxOf(model: monaco.editor.ITextModel, language = model.getLanguageId()): string | undefined {
  return syntaxes[/\.[jt]sx$/.test(pathOf(model.uri) ?? '') ? 'javascriptreact' : language]
}

/** Emmet's syntax at a position, undefined where abbreviations make no sense, e.g. inside a tag. */
function syntaxAt(model: monaco.editor.ITextModel, position: monaco.IPosition): string | undefined {
  const embedded = (model as EmbeddingModel).getLanguageIdAtPosition?.(position.lineNumber, position.column)
  const syntax = syntaxOf(model, embedded)
  if (syntax === undefined) return undefined
  const before = textBefore(model, position)
  if (styleSyntaxes.has(syntax)) return isInBlock(before, syntax) ? syntax : undefined
  // After an unclosed `<` are the name and attributes of a tag.
  return before.lastIndexOf('<') > before.lastIndexOf('>') ? undefined : syntax
}

function textBefore(model: monaco.editor.ITextModel, position: monaco.IPosition): string {
  const end = model.getOffsetAt(position)
  const start = model.getPositionAt(Math.max(0, end - maxContext))
  return model.getValueInRange(monaco.Range.fromPositions(start, position))
}

/** Whether a position in a style sheet is between the braces of a rule, where properties stand. */
function isInBlock(before: string, syntax: string): boolean {
  if (syntax === 'sass' || syntax === 'stylus') return /\n?[ \t]+\S*$/.test(before.slice(-200))
  const code = before.replaceAll(/\/\*[^]*?(?:\*\/|$)/g, '')
  return code.split('{').length > code.split('}').length
}

/** Whether JSX can begin here. Elsewhere `items.length` is no abbreviation. */
function isJsxPlace(before: string, { abbreviation }: Expansion): boolean {
  const code = before.slice(0, before.length - abbreviation.length).trimEnd()
  const name = /^[a-z][a-z\d]*/.exec(abbreviation)?.[0]
  const isTag = name === undefined || !(document.createElement(name) instanceof HTMLUnknownElement)
  return isTag && /(?:^|[>({}[?:,]|&&|\|\||\breturn)$/.test(code)
}

/** Formats a snippet as code in Markdown, with a bar at each placeholder. The fence is longer than any in the snippet. */
function codeOf(snippet: string, language: string): monaco.IMarkdownString {
  const code = snippet.replaceAll(/\$\{\d+(?::([^}]*))?\}/g, '$1|')
  const fence = '`'.repeat(Math.max(3, ...(code.match(/`+/g) ?? []).map((ticks) => ticks.length + 1)))
  return { value: `${fence}${language}\n${code}\n${fence}` }
}

const provider: monaco.languages.CompletionItemProvider = {
  triggerCharacters,
  async provideCompletionItems(model, position) {
    const shown = useApp.getState().state?.settings.emmet.showExpandedAbbreviation ?? 'always'
    const syntax = syntaxAt(model, position)
    if (syntax === undefined || shown === 'never') return null
    if (syntax === 'jsx' && shown === 'inMarkupAndStylesheetFilesOnly') return null
    const before = model.getLineContent(position.lineNumber).slice(0, position.column - 1)
    const { suggestEmmet } = await loadEmmet()
    const found = suggestEmmet(before, syntax).filter((each) => syntax !== 'jsx' || isJsxPlace(before, each))
    return {
      // Each key can change the whole expansion.
      incomplete: true,
      suggestions: found.map(({ label, detail, snippet, startColumn, endColumn }) => ({
        label,
        kind: monaco.languages.CompletionItemKind.Property,
        detail: detail === '' ? 'Emmet abbreviation' : detail,
        documentation: codeOf(snippet, model.getLanguageId()),
        insertText: snippet,
        insertTextRules: monaco.languages.CompletionItemInsertTextRule.InsertAsSnippet,
        filterText: before.slice(startColumn - 1),
        // Before the words of the file.
        sortText: `0${label}`,
        range: new monaco.Range(position.lineNumber, startColumn, position.lineNumber, endColumn),
      })),
    }
  },
}

/** Suggests Emmet abbreviations in markup, style sheets and JSX. */
export const registerEmmet = once((): void => {
  monaco.languages.registerCompletionItemProvider({ scheme: 'file' }, provider)
})

/**
 * Replaces the abbreviation before the cursor by what it means.
 * @returns whether there was one; undefined if a key changed the text while Emmet was loaded
 */
async function expand(editor: Editor): Promise<boolean | undefined> {
  const [model, position] = [editor.getModel(), editor.getPosition()]
  const syntax = model && position ? syntaxAt(model, position) : undefined
  if (!model || !position || syntax === undefined) return false
  const before = model.getLineContent(position.lineNumber).slice(0, position.column - 1)
  const version = model.getVersionId()
  const found = (await loadEmmet()).expandEmmet(before, syntax)
  if (editor.getModel() !== model || model.getVersionId() !== version) return undefined
  if (found === undefined || (syntax === 'jsx' && !isJsxPlace(before, found))) return false
  insert(
    editor,
    new monaco.Range(position.lineNumber, found.startColumn, position.lineNumber, found.endColumn),
    found.snippet,
  )
  return true
}

function insert(editor: Editor, range: monaco.Range, snippet: string): void {
  editor.setSelection(range)
  const controller = editor.getContribution<{ insert(text: string): void } & monaco.editor.IEditorContribution>(
    'snippetController2',
  )
  controller?.insert(snippet)
}

/** Asks for an abbreviation, and wraps the selection, or else the line, with it. */
async function wrap(editor: Editor): Promise<void> {
  const [model, selection] = [editor.getModel(), editor.getSelection()]
  if (!model || !selection) return
  const range = wrappedRange(model, selection)
  const syntax = syntaxOf(model)
  if (syntax === undefined || styleSyntaxes.has(syntax))
    return notify('info', 'Only markup can be wrapped with an abbreviation.', { detail: 'For example HTML or JSX.' })
  const text = model.getValueInRange(range)
  const version = model.getVersionId()
  const { maxWrappedLines, wrapWithEmmet } = await loadEmmet()
  if (range.endLineNumber - range.startLineNumber >= maxWrappedLines)
    return notify('info', `At most ${formatNumber(maxWrappedLines)} lines can be wrapped.`)
  const chosen = await quickPick({
    title: 'Wrap with abbreviation',
    placeholder: 'Abbreviation, for example ul>li*',
    empty: 'Not a complete abbreviation.',
    items: async (query) => {
      const snippet = query.trim() === '' ? undefined : wrapWithEmmet(query.trim(), text, syntax)
      if (snippet === undefined) return []
      const line = snippet.replaceAll(/\$\{\d+(?::([^}]*))?\}/g, '$1').replaceAll(/\s+/g, ' ')
      return [{ id: snippet, label: query, description: line.slice(0, 200) }]
    },
  })
  // The text can have changed while the picker was open, e.g. by the agent.
  if (chosen && editor.getModel() === model && model.getVersionId() === version) insert(editor, range, chosen.id)
  editor.focus()
}

/** The selection without the white space around it, or the text of the line. */
function wrappedRange(model: monaco.editor.ITextModel, selection: monaco.Selection): monaco.Range {
  const line = selection.startLineNumber
  const whole = selection.isEmpty() ? new monaco.Range(line, 1, line, model.getLineMaxColumn(line)) : selection
  const text = model.getValueInRange(whole)
  const start = model.getOffsetAt(whole.getStartPosition()) + (text.length - text.trimStart().length)
  const end = start + text.trim().length
  return monaco.Range.fromPositions(model.getPositionAt(start), model.getPositionAt(end))
}

/** Adds Emmet's commands to an editor, and Tab if the setting says so. */
export const emmetKeys: EditorExtension = (editor) => {
  const onTab = editor.createContextKey<boolean>('tizonaEmmetTab', false)
  const follow = (): void => {
    const isOn = useApp.getState().state?.settings.emmet.triggerExpansionOnTab === true && hasEmmet(editor)
    onTab.set(isOn)
    // The first Tab must not wait.
    if (isOn) attempt(loadEmmet)
  }
  follow()
  const unsubscribe = useApp.subscribe(follow)
  const subscriptions = [
    editor.onDidChangeModel(follow),
    editor.onDidChangeModelLanguage(follow),
    editor.addAction({
      id: 'editor.emmet.action.expandAbbreviation',
      label: 'Emmet: Expand abbreviation',
      precondition: '!editorReadonly',
      async run(target) {
        if ((await expand(target)) === false) notify('info', 'There is no Emmet abbreviation before the cursor.')
      },
    }),
    editor.addAction({
      id: 'editor.emmet.action.wrapWithAbbreviation',
      label: 'Emmet: Wrap with abbreviation…',
      precondition: '!editorReadonly',
      run: wrap,
    }),
    editor.addAction({
      id: 'tizona.emmet.tab',
      label: 'Expand an Emmet abbreviation, or indent',
      keybindings: [monaco.KeyCode.Tab],
      precondition: 'tizonaEmmetTab',
      keybindingContext:
        'editorTextFocus && !editorReadonly && !editorHasSelection && !editorHasMultipleSelections && !editorTabMovesFocus && !suggestWidgetVisible && !inSnippetMode && !inlineSuggestionVisible',
      async run(target) {
        if ((await expand(target)) === false) target.trigger('keyboard', 'tab', null)
      },
    }),
  ]
  return {
    dispose() {
      unsubscribe()
      for (const each of subscriptions) each.dispose()
    },
  }
}

function hasEmmet(editor: Editor): boolean {
  const model = editor.getModel()
  return model !== null && syntaxOf(model) !== undefined
}
