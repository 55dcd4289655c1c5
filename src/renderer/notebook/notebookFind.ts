import { monaco } from '../platform/editor/monaco/monaco.ts'
import { cellMember, type CellRest, type Notebook, type NotebookCell } from '../../shared/notebook/notebook.ts'
import { readOutputs } from '../../shared/notebook/outputs.ts'
import { editedSource, editorText } from './cellText.ts'
import { outputText, plainText } from './outputText.ts'

// Finding and replacing in the texts of all cells, with Monaco's search, as in other files.

export interface FindOptions {
  query: string
  /** Whether outputs that are text are searched too. */
  outputs: boolean
  caseSensitive: boolean
  wholeWord: boolean
  regex: boolean
}

/** A match in the text of a cell, as its editor shows it, or in one of its outputs. */
export interface CellMatch {
  key: string
  /** Position of the output in the cell. Absent: the match is in the text of the cell. */
  output?: number
  range: monaco.IRange
  /** Offsets. */
  start: number
  end: number
  /** The text of the match, then those of its groups. Only for regular expressions. */
  groups: readonly string[]
}

/** Maximum number of matches. */
export const maxMatches = 10_000
/** Monaco's default. */
const wordSeparators = '`~!@#$%^&*()-=+[{]}\\|;:\'",.<>/?'
const noMatches: readonly CellMatch[] = []

/** Creates a search that keeps the matches of cells that do not change. */
export function createCellSearch(): { find(notebook: Notebook, options: FindOptions): CellMatch[]; dispose(): void } {
  const model = monaco.editor.createModel('', 'plaintext')
  model.setEOL(monaco.editor.EndOfLineSequence.LF)
  let known = new WeakMap<NotebookCell, readonly CellMatch[]>()
  let before = ''
  /** Texts of outputs, which do not change with the query. */
  const outputs = new WeakMap<CellRest, readonly (string | null)[]>()

  function outputsOf(cell: NotebookCell): readonly (string | null)[] {
    const known = outputs.get(cell.rest)
    if (known) return known
    const read = cell.type === 'code' ? readOutputs(cellMember(cell, 'outputs')) : []
    const texts = read.map((output) => {
      const text = outputText(output)
      return text && plainText(text.text)
    })
    outputs.set(cell.rest, texts)
    return texts
  }

  function inCell(cell: NotebookCell, options: FindOptions): readonly CellMatch[] {
    const own = inText(cell.key, editorText(cell.source), options)
    if (!options.outputs) return own
    const found = outputsOf(cell).flatMap((text, output) =>
      text === null ? [] : inText(cell.key, text, options).map((match) => ({ ...match, output })),
    )
    return found.length === 0 ? own : [...own, ...found]
  }

  function inText(
    key: string,
    text: string,
    { query, regex, caseSensitive, wholeWord }: FindOptions,
  ): readonly CellMatch[] {
    // Filling the model costs more than looking.
    if (!regex && !text.toLowerCase().includes(query.toLowerCase())) return noMatches
    model.setValue(text)
    return model
      .findMatches(query, false, regex, caseSensitive, wholeWord ? wordSeparators : null, regex, maxMatches)
      .map(({ range, matches }) => ({
        key,
        range,
        start: model.getOffsetAt({ lineNumber: range.startLineNumber, column: range.startColumn }),
        end: model.getOffsetAt({ lineNumber: range.endLineNumber, column: range.endColumn }),
        groups: matches ?? [],
      }))
  }

  return {
    find(notebook, options) {
      const wanted = JSON.stringify(options)
      if (wanted !== before) known = new WeakMap()
      before = wanted
      const found: CellMatch[] = []
      if (options.query === '') return found
      for (const cell of notebook.cells) {
        const matches = known.get(cell) ?? inCell(cell, options)
        known.set(cell, matches)
        for (const match of matches) found.push(match)
        if (found.length >= maxMatches) return found.slice(0, maxMatches)
      }
      return found
    },
    dispose: () => model.dispose(),
  }
}

/** Returns why a query cannot be searched for; null if it can. */
export function findProblem({ query, regex }: FindOptions): string | null {
  if (!regex) return null
  try {
    new RegExp(query, 'u')
    return null
  } catch {
    return 'Not a valid regular expression'
  }
}

/** Returns the text that replaces a match. With a regular expression, `$1` is its first group and `\n` a line break. */
export function replacementOf({ groups }: Pick<CellMatch, 'groups'>, template: string, regex: boolean): string {
  if (!regex) return template
  return template.replaceAll(/\$(\$|&|\d{1,2})|\\([nt\\])/g, (whole: string, dollar?: string, escape?: string) => {
    if (escape !== undefined) return escape === 'n' ? '\n' : escape === 't' ? '\t' : '\\'
    if (dollar === '$') return '$'
    if (dollar === '&') return groups[0] ?? ''
    // With fewer than ten groups, `$10` is the first group and a zero.
    for (const digits of [dollar, dollar?.slice(0, 1)])
      if (digits !== undefined && Number(digits) < groups.length)
        return (groups[Number(digits)] ?? '') + whole.slice(1 + digits.length)
    return whole
  })
}

/** Returns the sources of cells with their matches replaced. @param matches in the order of the notebook */
export function replacedSources(
  notebook: Notebook,
  matches: readonly CellMatch[],
  template: string,
  regex: boolean,
): Map<string, string> {
  const inSources = matches.filter(({ output }) => output === undefined)
  const byCell = Map.groupBy(inSources, ({ key }) => key)
  const sources = new Map<string, string>()
  for (const cell of notebook.cells) {
    const text = editorText(cell.source)
    let [replaced, at] = ['', 0]
    for (const match of byCell.get(cell.key) ?? []) {
      replaced += text.slice(at, match.start) + replacementOf(match, template, regex)
      at = match.end
    }
    if (byCell.has(cell.key)) sources.set(cell.key, editedSource(cell.source, replaced + text.slice(at)))
  }
  return sources
}
