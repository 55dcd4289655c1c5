import { scriptsOf } from './componentScripts.ts'
import { markExported } from './exportedSymbols.ts'
import { extract, type Grammar } from './extractSymbols.ts'
import { createGrammars } from './grammars.ts'
import { largestFile } from '../process/indexLimits.ts'
import { languages, type SourceLanguage } from './languages.ts'
import { readHeadings } from './markdownHeadings.ts'
import type { Extraction } from './symbolTypes.ts'
import { syntaxErrors, type SyntaxFault } from './syntaxErrors.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'

export const tooLarge = `It is larger than ${largestFile / 1024 / 1024} MB, so its symbols are not read.`

export interface SymbolsRead {
  found: Extraction
  /** Why symbols may be missing, in words; '' when nothing is known against it. */
  problem: string
}

/** Reads the symbols of a text in any language of the table. */
export interface SymbolReader {
  /** Never throws: a text that cannot be read has a `problem` and no symbols. */
  read(language: SourceLanguage | undefined, text: string, around?: Around): Promise<SymbolsRead>
  /** The grammar of a language; null for one without, or when it could not be loaded. */
  grammar(language: SourceLanguage): Promise<Grammar | null>
  /** Where a text does not parse; none for a language without a grammar of its own. Throws when it takes too long. */
  faults(language: SourceLanguage, text: string, around?: Around): Promise<SyntaxFault[]>
}

/** Runs each synchronous part of reading a text: what a parser does in it may not come back, and can end the process. */
export type Around = <T>(read: () => T) => T
const directly: Around = (read) => read()

export interface SymbolReaderOptions {
  /** Folder of the tag queries. */
  grammars: string
  /** A grammar cannot be loaded; its language's files stay searchable text. The same words for each of them. */
  onNotice(message: string): void
  /** How much processor time reading one file may take. */
  milliseconds?: number
}

export const nothing: Extraction = { symbols: [], references: [], links: [], broken: false }

export function createSymbolReader({ grammars: folder, onNotice, milliseconds }: SymbolReaderOptions): SymbolReader {
  const grammars = createGrammars(folder)
  const readLimit = milliseconds ?? 2000
  const limit = { milliseconds: readLimit }

  async function grammarOf(language: SourceLanguage): ReturnType<typeof grammars.get> {
    try {
      return await grammars.get(language)
    } catch (error) {
      const problem = `The grammar of ${language.title} could not be loaded (${reason(error)}), so symbols of its files are not read.`
      onNotice(problem)
      throw new Error(problem, { cause: error })
    }
  }

  async function readWith(language: SourceLanguage, text: string, around: Around): Promise<Extraction> {
    if (language.reader === 'markdown') return around(() => readHeadings(text))
    const grammar = await grammarOf(language)
    if (!grammar) return nothing
    if (language.reader !== 'component') return around(() => extract(grammar, text, limit))
    const scripts = around(() => scriptsOf(grammar, text, readLimit))
    const written = languages.find(({ id }) => id === scripts.language)
    const inner = written && scripts.ranges.length > 0 ? await grammarOf(written) : null
    return inner ? around(() => extract(inner, text, { ...limit, ranges: scripts.ranges })) : nothing
  }

  async function readBest(language: SourceLanguage, text: string, around: Around): Promise<Extraction> {
    const found = await readWith(language, text, around)
    const other = found.broken ? languages.find(({ id }) => id === language.otherwise) : undefined
    if (!other) return found
    const second = await readWith(other, text, around)
    return !second.broken || second.symbols.length > found.symbols.length ? second : found
  }

  async function faults(language: SourceLanguage, text: string, around: Around = directly): Promise<SyntaxFault[]> {
    const grammar = language.reader === undefined && text.length <= largestFile ? await grammarOf(language) : null
    if (!grammar) return []
    const found = around(() => syntaxErrors(grammar, text, milliseconds ?? 1000))
    const other = found.length > 0 ? languages.find(({ id }) => id === language.otherwise) : undefined
    const second = other ? await faults(other, text, around) : found
    return second.length < found.length ? second : found
  }

  return {
    faults,
    grammar: (language) => grammarOf(language).catch(() => null),
    async read(language, text, around = directly) {
      if (!language) return { found: nothing, problem: '' }
      if (text.length > largestFile) return { found: nothing, problem: tooLarge }
      try {
        const found = await readBest(language, text, around)
        return { found: around(() => markExported(language.id, text, found)), problem: problemOf(found) }
      } catch (error) {
        return { found: nothing, problem: reason(error) }
      }
    },
  }
}

/** What is known against the symbols of a text, in words; '' when nothing is. */
export function problemOf({ broken, leftOut, symbols }: Pick<Extraction, 'broken' | 'leftOut' | 'symbols'>): string {
  const parts = broken ? ['Parts of it cannot be read (a syntax error?), so symbols may be missing.'] : []
  if (leftOut !== undefined)
    parts.push(
      `Only ${formatNumber(symbols.length)} of its ${formatNumber(symbols.length + leftOut)} keys are symbols: the deepest are left out.`,
    )
  return parts.join(' ')
}

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))
