import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Node, Tree } from 'web-tree-sitter'
import { overdue, parseBash } from './shellParse.ts'

/** Maximum length of a line that is parsed, in UTF-16 units. */
const maxCharacters = 100_000
/** Maximum milliseconds of processor time for walking the parsed line. */
const maxReadTime = 40
/** Number of nodes between checks of the time limit. */
const nodesPerLook = 200
/** Maximum number of cached lines. Small, because several checks of one line follow each other. */
const maxKept = 4

/** Commands and overwritten files of a command line, as far as they can be determined. */
export interface Invocations {
  /** Words of every command, including those in conditions, substitutions and subshells. Expansions stay unexpanded. */
  commands: string[][]
  /** Files replaced by a redirection (`> file`, not `>> file`). */
  overwritten: string[]
}

const kept = new Map<string, Promise<Invocations | undefined>>()

/**
 * Finds every command in a line. For warnings only: unlike `parseShellLine` it accepts lines whose meaning is
 * uncertain, so it must not be used to allow commands.
 * @returns undefined if the line is too long or takes too long to parse
 */
export function readInvocations(line: string): Promise<Invocations | undefined> {
  const known = kept.get(line)
  if (known) return known
  const reading = read(line)
  kept.set(line, reading)
  if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '')
  return reading
}

async function read(line: string): Promise<Invocations | undefined> {
  if (line.length > maxCharacters) return undefined
  const tree = await parseBash(line)
  if (tree === null) return undefined
  try {
    // Parsing and walking can both take long.
    await nextTurn()
    return invocationsIn(tree)
  } finally {
    tree.delete()
  }
}

function invocationsIn(tree: Tree): Invocations | undefined {
  const isOverdue = overdue(maxReadTime)
  const found: Invocations = { commands: [], overwritten: [] }
  // Iterative, so that deep nesting does not overflow the stack.
  const open: Node[] = [tree.rootNode]
  let count = 0
  for (let node = open.pop(); node; node = open.pop()) {
    if (++count % nodesPerLook === 0 && isOverdue()) return undefined
    if (node.type === 'command') found.commands.push(wordsOf(node))
    if (node.type === 'file_redirect' && /^\d*(?:>|>\||&>|>&)[^>&|]/.test(node.text)) {
      const target = node.namedChildren.at(-1)
      if (target && target.type !== 'file_descriptor' && !(target.type === 'number' && node.text.includes('>&')))
        found.overwritten.push(textOf(target))
    }
    for (const child of node.children.toReversed()) open.push(child)
  }
  return found
}

function wordsOf(command: Node): string[] {
  return command.namedChildren
    .filter(({ type }) => type !== 'variable_assignment' && !type.endsWith('_redirect'))
    .map(textOf)
}

/** Removes quotes and backslashes from a word, as the shell does if there is nothing to expand. */
function textOf(node: Node): string {
  switch (node.type) {
    case 'command_name':
    case 'concatenation':
      return node.childCount > 0 ? node.children.map((child) => textOf(child)).join('') : unescaped(node.text)
    case 'raw_string':
      return node.text.slice(1, -1)
    case 'string':
    case 'translated_string':
      return unescaped(node.text.replace(/^\$?"/, '').replace(/"$/, ''))
    case 'ansi_c_string':
      return node.text.slice(2, -1)
    default:
      return unescaped(node.text)
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, '$1')
}
