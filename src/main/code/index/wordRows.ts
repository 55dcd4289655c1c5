import { identifierWords, wordsOf } from './words.ts'
import { splitIntoPassages, type PassageSymbol } from './splitPassages.ts'

/** The words of a file as values for the full-text tables (indexSchema.ts), in column order and without the file id. */
export interface WordRows {
  /** `symbol_text` of each definition. */
  symbols: [words: string, signature: string, doc: string][]
  /** `passages` from the column `nth` on. */
  passages: (number | null)[][]
  /** `passage_text` of each passage. */
  passageTexts: [name: string, about: string, body: string][]
  /** `path_text`; '' without passages. */
  path: string
}

/** @param symbols definitions of the text, as extracted or as stored */
export function toWordRows(path: string, text: string, symbols: readonly PassageSymbol[]): WordRows {
  const passages = splitIntoPassages(text, symbols)
  return {
    symbols: symbols.map(({ qualified, signature, doc }) => [identifierWords(qualified).join(' '), signature, doc]),
    passages: passages.map(({ line, endLine, symbol }, nth) => [nth, symbol, line, endLine - line]),
    passageTexts: passages.map(({ name, about, body }) => [name, about, body]),
    path: passages.length > 0 ? wordsOf(path, 1).join(' ') : '',
  }
}
