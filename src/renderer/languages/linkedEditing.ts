import { ILanguageFeaturesService } from 'monaco-editor/editor/common/services/languageFeatures'
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { pathOfModel, requestFromServers, toMonacoRange } from './serverRequests.ts'

/** Languages of Monaco's HTML worker, which knows their elements without a language server. */
const htmlLanguages = ['html', 'handlebars', 'razor']

export const isHtml = (language: string): boolean => htmlLanguages.includes(language)

/** Characters of the names of elements, also of JSX such as `Tabs.Item`. Others end the linked edit. */
const wordPattern = /[^\s<>/="'`{}]*/

/** Finds the ranges with the language servers of a file. */
export const serverLinkedEditing: monaco.languages.LinkedEditingRangeProvider = {
  async provideLinkedEditingRanges(model, { lineNumber, column }) {
    const ranges = await requestFromServers('language.linkedEditingRanges', {
      path: pathOfModel(model),
      line: lineNumber,
      column,
    })
    return ranges && { ranges: ranges.map(toMonacoRange), wordPattern }
  },
}

/** Whether a range is the name of a start tag or of an end tag. */
const isNameAfter = (model: monaco.editor.ITextModel, range: monaco.IRange, before: string): boolean => {
  const { startLineNumber: line, startColumn } = range
  return model
    .getLineContent(line)
    .slice(0, startColumn - 1)
    .endsWith(before)
}

/**
 * Links the names in the tags of an element, which Monaco's HTML worker highlights at the cursor. Other providers
 * highlight every occurrence of a word, so the ranges are checked.
 */
const htmlLinkedEditing: monaco.languages.LinkedEditingRangeProvider = {
  async provideLinkedEditingRanges(model, position, token) {
    const [provider] = StandaloneServices.get(ILanguageFeaturesService).documentHighlightProvider.ordered(model)
    const found = await provider?.provideDocumentHighlights(model, position, token)
    const [start, end] = found?.map(({ range }) => range) ?? []
    if (found?.length !== 2 || !start || !end || model.isDisposed()) return null
    if (!isNameAfter(model, start, '<') || !isNameAfter(model, end, '</')) return null
    if (model.getValueInRange(start) !== model.getValueInRange(end)) return null
    return { ranges: [start, end], wordPattern }
  },
}

/** Links the tags of elements in HTML, if the setting is on. Lasts as long as the page. */
export function registerHtmlLinkedEditing(): void {
  monaco.languages.registerLinkedEditingRangeProvider(
    htmlLanguages.map((language) => ({ language, scheme: 'file' })),
    htmlLinkedEditing,
  )
}
