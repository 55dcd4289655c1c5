import { once } from '../../shared/async/once.ts'
import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'
import { resultsLanguage } from '../../shared/files/untitled.ts'
import { placeOf } from './resultsDocument.ts'

/** Teaches the editor search results: their colors, and "Go to definition" on a match. */
export const registerResultsLanguage = once((): void => {
  monaco.languages.register({ id: resultsLanguage, aliases: ['Search results'], extensions: ['.code-search'] })
  monaco.languages.setMonarchTokensProvider(resultsLanguage, {
    tokenizer: {
      root: [
        [/^# .*$/, 'comment'],
        [/^\S.*:$/, 'type'],
        [/^ {2,12}\d+(?=:| {2})/, 'number'],
      ],
    },
  })
  monaco.languages.registerDefinitionProvider(resultsLanguage, {
    provideDefinition(model, { lineNumber, column }) {
      const place = placeOf(model.getLinesContent().slice(0, lineNumber), column)
      if (place === null) return null
      return {
        uri: uriOf(place.path),
        range: new monaco.Range(place.line, place.column, place.line, place.column),
      }
    },
  })
})
