import { findScripts } from './componentScripts.ts'
import { markExported } from './exportedSymbols.ts'
import { extractSymbols, type Grammar } from './extractSymbols.ts'
import { createGrammars } from './grammars.ts'
import { maxFileSize } from '../process/indexLimits.ts'
import { languages, type SourceLanguage } from './languages.ts'
import { readHeadings } from './markdownHeadings.ts'
import type { Extraction } from './symbolTypes.ts'
import { findParseErrors, type ParseError } from './syntaxErrors.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'

export const tooLargeMessage = `It is larger than ${maxFileSize / 1024 / 1024} MB, so its symbols are not read.`

export interface SymbolReadResult {
  found: Extraction
  /** Why symbols may be missing, in words; '' when nothing is known against it. */
  problem: string
}

/** Reads the symbols of a text in any language of the table. */
export interface SymbolReader {
  /** Never throws: a text that cannot be read has a `problem` and no symbols. */
  read(language: SourceLanguage | undefined, text: string, guard?: RunGuard): Promise<SymbolReadResult>
  /** The grammar of a language; null for one without, or when it could not be loaded. */
  grammar(language: SourceLanguage): Promise<Grammar | null>
  /** Where a text does not parse; none for a language without a grammar of its own. Throws when it takes too long. */
  parseErrors(language: SourceLanguage, text: string, guard?: RunGuard): Promise<ParseError[]>
}

/** Runs each synchronous part of reading a text: what a parser does in it may not come back, and can end the process. */
export type RunGuard = <T>(read: () => T) => T
const runUnguarded: RunGuard = (read) => read()

export interface SymbolReaderOptions {
  /** Folder of the tag queries. */
  grammars: string
  /** A grammar cannot be loaded; its language's files stay searchable text. The same words for each of them. */
  onNotice(message: string): void
  /** How much processor time reading one file may take. */
  milliseconds?: number
}

export const emptyExtraction: Extraction = { symbols: [], references: [], links: [], hasSyntaxErrors: false }

export function createSymbolReader({ grammars: folder, onNotice, milliseconds }: SymbolReaderOptions): SymbolReader {
  const grammars = createGrammars(folder)
  const cpuMilliseconds = milliseconds ?? 2000
  const limit = { milliseconds: cpuMilliseconds }

  async function loadGrammar(language: SourceLanguage): ReturnType<typeof grammars.get> {
    try {
      return await grammars.get(language)
    } catch (error) {
      const problem = `The grammar of ${language.title} could not be loaded (${errorMessage(error)}), so symbols of its files are not read.`
      onNotice(problem)
      throw new Error(problem, { cause: error })
    }
  }

  async function readWith(language: SourceLanguage, text: string, guard: RunGuard): Promise<Extraction> {
    if (language.reader === 'markdown') return guard(() => readHeadings(text))
    const grammar = await loadGrammar(language)
    if (!grammar) return emptyExtraction
    if (language.reader !== 'component') return guard(() => extractSymbols(grammar, text, limit))
    const scripts = guard(() => findScripts(grammar, text, cpuMilliseconds))
    const scriptLanguage = languages.find(({ id }) => id === scripts.language)
    const scriptGrammar = scriptLanguage && scripts.ranges.length > 0 ? await loadGrammar(scriptLanguage) : null
    return scriptGrammar
      ? guard(() => extractSymbols(scriptGrammar, text, { ...limit, ranges: scripts.ranges }))
      : emptyExtraction
  }

  async function readWithFallback(language: SourceLanguage, text: string, guard: RunGuard): Promise<Extraction> {
    const found = await readWith(language, text, guard)
    const fallback = found.hasSyntaxErrors ? languages.find(({ id }) => id === language.fallbackLanguage) : undefined
    if (!fallback) return found
    const fallbackResult = await readWith(fallback, text, guard)
    return !fallbackResult.hasSyntaxErrors || fallbackResult.symbols.length > found.symbols.length
      ? fallbackResult
      : found
  }

  async function parseErrors(
    language: SourceLanguage,
    text: string,
    guard: RunGuard = runUnguarded,
  ): Promise<ParseError[]> {
    const grammar = language.reader === undefined && text.length <= maxFileSize ? await loadGrammar(language) : null
    if (!grammar) return []
    const found = guard(() => findParseErrors(grammar, text, milliseconds ?? 1000))
    const fallback = found.length > 0 ? languages.find(({ id }) => id === language.fallbackLanguage) : undefined
    const fallbackResult = fallback ? await parseErrors(fallback, text, guard) : found
    return fallbackResult.length < found.length ? fallbackResult : found
  }

  return {
    parseErrors: parseErrors,
    grammar: (language) => loadGrammar(language).catch(() => null),
    async read(language, text, guard = runUnguarded) {
      if (!language) return { found: emptyExtraction, problem: '' }
      if (text.length > maxFileSize) return { found: emptyExtraction, problem: tooLargeMessage }
      try {
        const found = await readWithFallback(language, text, guard)
        return { found: guard(() => markExported(language.id, text, found)), problem: describeProblems(found) }
      } catch (error) {
        return { found: emptyExtraction, problem: errorMessage(error) }
      }
    },
  }
}

/** What is known against the symbols of a text, in words; '' when nothing is. */
export function describeProblems({
  hasSyntaxErrors,
  omittedKeys,
  symbols,
}: Pick<Extraction, 'hasSyntaxErrors' | 'omittedKeys' | 'symbols'>): string {
  const problems = hasSyntaxErrors ? ['Parts of it cannot be read (a syntax error?), so symbols may be missing.'] : []
  if (omittedKeys !== undefined)
    problems.push(
      `Only ${formatNumber(symbols.length)} of its ${formatNumber(symbols.length + omittedKeys)} keys are symbols: the deepest are left out.`,
    )
  return problems.join(' ')
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))
