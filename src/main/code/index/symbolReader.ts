import type { Range } from 'web-tree-sitter'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { maxFileSize } from './indexLimits.ts'
import { createCpuLimit } from './cpuTime.ts'
import { markExported } from './exportedSymbols.ts'
import { extractSymbols, type Grammar } from './extractSymbols.ts'
import { createGrammars } from './grammars.ts'
import { languages, type SourceLanguage } from './languages.ts'
import type { Extraction } from './symbolTypes.ts'
import { findParseErrors, type ParseError } from './syntaxErrors.ts'

/** Problem of a file above the size limit. */
export const tooLargeMessage = `The file is larger than ${maxFileSize / 1024 / 1024} MB, so symbols were not read.`

export interface SymbolReadResult {
  found: Extraction
  /** Why symbols may be missing; '' if there is no known problem. */
  problem: string
}

/** Reads symbols in any known language. */
export interface SymbolReader {
  /** Never throws: on failure, `problem` is set and there are no symbols. */
  read(language: SourceLanguage | undefined, text: string, guard?: RunGuard): Promise<SymbolReadResult>
  /** Returns the grammar of a language; null if it has none or it could not be loaded. */
  grammar(language: SourceLanguage): Promise<Grammar | null>
  /** Returns syntax errors; none for a language without its own grammar. @throws Error on timeout */
  parseErrors(language: SourceLanguage, text: string, guard?: RunGuard): Promise<ParseError[]>
}

/** Wraps each synchronous step of reading a text, since a parser can hang or crash the process. */
export type RunGuard = <T>(read: () => T) => T
const runUnguarded: RunGuard = (read) => read()

export interface SymbolReaderOptions {
  /** Folder of the tag queries. */
  grammars: string
  /** Called if a grammar cannot be loaded, with the same message for each file of the language. */
  onNotice(message: string): void
  /** Limit of processor time for one file. */
  milliseconds?: number
}

export const emptyExtraction: Extraction = { symbols: [], references: [], links: [], hasSyntaxErrors: false }

export function createSymbolReader({ grammars: folder, onNotice, milliseconds }: SymbolReaderOptions): SymbolReader {
  const grammars = createGrammars(folder)
  const cpuMilliseconds = milliseconds ?? 2000
  const limit = { milliseconds: cpuMilliseconds }

  /** @param queried text whose query must be prepared too, without counting as time for this text */
  async function loadGrammar(language: SourceLanguage, queried?: string): ReturnType<typeof grammars.get> {
    try {
      const grammar = await grammars.get(language)
      if (queried !== undefined) grammar?.queryFor(queried)
      return grammar
    } catch (error) {
      const problem = `The ${language.title} grammar could not be loaded (${errorMessage(error)}), so symbols in these files were not read.`
      onNotice(problem)
      throw new Error(problem, { cause: error })
    }
  }

  async function readWith(language: SourceLanguage, text: string, guard: RunGuard): Promise<Extraction> {
    if (language.reader === 'markdown') {
      // The component parser has fifty modules; a process or thread without component files never loads it.
      const { readHeadings } = await import('./markdownHeadings.ts')
      return guard(() => readHeadings(text))
    }
    const grammar = await loadGrammar(language, text)
    if (!grammar) return emptyExtraction
    if (language.reader !== 'component') return guard(() => extractSymbols(grammar, text, limit))
    const scripts = guard(() => findScripts(grammar, text, cpuMilliseconds))
    const scriptLanguage = languages.find(({ id }) => id === scripts.language)
    const scriptGrammar = scriptLanguage && scripts.ranges.length > 0 ? await loadGrammar(scriptLanguage, text) : null
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

/** Describes why symbols may be missing; '' if there is no known problem. */
export function describeProblems({
  hasSyntaxErrors,
  omittedKeys,
  symbols,
}: Pick<Extraction, 'hasSyntaxErrors' | 'omittedKeys' | 'symbols'>): string {
  const problems = hasSyntaxErrors
    ? ['Parts of the file could not be parsed (syntax error?), so symbols may be missing.']
    : []
  if (omittedKeys !== undefined)
    problems.push(
      `Only ${formatNumber(symbols.length)} of ${formatNumber(symbols.length + omittedKeys)} keys are symbols; the deepest are omitted.`,
    )
  return problems.join(' ')
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export interface ComponentScripts {
  /** Language id of the scripts. */
  language: 'javascript' | 'typescript' | 'tsx'
  /** Positions of the scripts in the component. */
  ranges: Range[]
}

/**
 * Finds the script blocks of a single-file component (Vue, Svelte). Ranges keep the line numbers of the file.
 * @throws Error after `milliseconds` of processor time
 */
function findScripts({ parser, language, queryFor }: Grammar, text: string, milliseconds: number): ComponentScripts {
  parser.setLanguage(language)
  const tree = parser.parse(text, null, { progressCallback: createCpuLimit(milliseconds) })
  if (!tree) {
    // Without a reset, the next parse would resume this text.
    parser.reset()
    throw new Error(`Parsing took more than ${milliseconds / 1000} s of processor time, so symbols were not read.`)
  }
  try {
    const blocks = queryFor(text)
      .captures(tree.rootNode)
      .map(({ node }) => node)
    const tags = blocks.map((block) => block.previousNamedSibling?.text ?? '').join(' ')
    return {
      language: /\blang\s*=\s*["']?[tj]sx\b/.test(tags)
        ? 'tsx'
        : /\blang\s*=\s*["']?(ts|typescript)\b/.test(tags)
          ? 'typescript'
          : 'javascript',
      ranges: blocks.map(({ startIndex, endIndex, startPosition, endPosition }) => ({
        startIndex,
        endIndex,
        startPosition,
        endPosition,
      })),
    }
  } finally {
    tree.delete()
  }
}
