import { Edit, Query, type Tree } from 'web-tree-sitter'
import { changedSpan, type ChangedSpan } from '../../../shared/editor/changedSpan.ts'
import { markExported } from './exportedSymbols.ts'
import { extractOutline, type Grammar } from './extractSymbols.ts'
import { maxFileSize } from './indexLimits.ts'
import type { SourceLanguage } from './languages.ts'
import {
  emptyExtraction,
  describeProblems,
  type RunGuard,
  type SymbolReader,
  type SymbolReadResult,
} from './symbolReader.ts'

/** Outlines of texts that are being edited. They are not stored in the index. */
export interface DraftOutlines {
  /**
   * Reads symbols without references and links. Never throws: on failure, `problem` is set and there are no symbols.
   */
  read(language: SourceLanguage | undefined, path: string, text: string, guard: RunGuard): Promise<SymbolReadResult>
  /** Frees the syntax trees. */
  close(): void
}

interface Draft {
  language: string
  text: string
  tree: Tree
}

/** Maximum number of syntax trees in memory, enough to alternate between a few tabs. */
const maxDrafts = 4

/**
 * Keeps the syntax tree of each text, so that the next version is parsed incrementally, and queries only definitions.
 * @param reader reads text that is not parsed incrementally: headings, component scripts, languages with a fallback
 */
export function createDraftOutlines(reader: SymbolReader): DraftOutlines {
  const drafts = new Map<string, Draft>()
  const outlineQueries = new WeakMap<Grammar, Query>()

  function drop(path: string): void {
    drafts.get(path)?.tree.delete()
    drafts.delete(path)
  }

  function store(path: string, draft: Draft): void {
    drop(path)
    drafts.set(path, draft)
    const [oldest] = drafts.keys()
    if (drafts.size > maxDrafts && oldest !== undefined) drop(oldest)
  }

  /** Returns the previous tree with the edit applied; null if there is none. */
  function previousTree(language: SourceLanguage, path: string, text: string): Tree | null {
    const before = drafts.get(path)
    if (before?.language !== language.id) return null
    const span = changedSpan(before.text, text)
    before.tree.edit(toTreeEdit(before.text, text, span))
    return before.tree
  }

  function outlineQueryOf(grammar: Grammar): Query {
    const known = outlineQueries.get(grammar)
    if (known) return known
    const query = new Query(grammar.language, grammar.source)
    for (let index = 0; index < query.patternCount(); index++) {
      const pattern = grammar.source.slice(query.startIndexForPattern(index), query.endIndexForPattern(index))
      // An import can match a definition pattern; only its own pattern distinguishes them.
      if (!pattern.includes('@definition.') && !pattern.includes('@import.')) query.disablePattern(index)
    }
    outlineQueries.set(grammar, query)
    return query
  }

  return {
    async read(language, path, text, guard) {
      if (
        !language ||
        language.reader !== undefined ||
        language.fallbackLanguage !== undefined ||
        text.length > maxFileSize
      )
        return reader.read(language, text, guard)
      const grammar = await reader.grammar(language)
      if (!grammar) return reader.read(language, text, guard)
      return guard(() => {
        const old = previousTree(language, path, text)
        try {
          const { tree, ...found } = extractOutline({ ...grammar, queryFor: () => outlineQueryOf(grammar) }, text, old)
          store(path, { language: language.id, text, tree })
          return {
            found: markExported(language.id, text, { ...emptyExtraction, ...found }),
            problem: describeProblems(found),
          }
        } catch (error) {
          drop(path)
          return { found: emptyExtraction, problem: error instanceof Error ? error.message : String(error) }
        }
      })
    },
    close() {
      for (const path of drafts.keys()) drop(path)
    },
  }
}

function toTreeEdit(before: string, after: string, { start, oldEnd, newEnd }: ChangedSpan): Edit {
  const startPosition = pointAt(before, start)
  return new Edit({
    startIndex: start,
    oldEndIndex: oldEnd,
    newEndIndex: newEnd,
    startPosition,
    oldEndPosition: pointAt(before, oldEnd),
    newEndPosition: pointAt(after, newEnd),
  })
}

/** Returns the 0-based row and column of an offset, in UTF-16 units as the parser expects. */
function pointAt(text: string, offset: number): { row: number; column: number } {
  let row = 0
  let lineStart = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    row += 1
    lineStart = at + 1
  }
  return { row, column: offset - lineStart }
}
