import type { Node } from 'web-tree-sitter'
import { bashParser } from './shellParse.ts'

/** A longer line is not read. */
const maxCharacters = 100_000

/** What a command line may run and overwrite, as far as it can be read. */
export interface Invocations {
  /** The words of every command in it: in conditions, substitutions and subshells too. An expansion stays as it is written. */
  commands: string[][]
  /** Files that a redirection replaces (`> file`, not `>> file`). */
  overwritten: string[]
}

/**
 * Reads every command of a line, whatever surrounds it. For warnings only: unlike `parseShellLine` it also reads lines that are not
 * certain, so nothing may be allowed because of it.
 * @returns undefined where the line is too long
 */
export async function readInvocations(line: string): Promise<Invocations | undefined> {
  if (line.length > maxCharacters) return undefined
  const tree = (await bashParser()).parse(line)
  if (tree === null) return undefined
  try {
    const found: Invocations = { commands: [], overwritten: [] }
    // A loop: the depth of a line's nesting must not be the stack's.
    const open: Node[] = [tree.rootNode]
    for (let node = open.pop(); node; node = open.pop()) {
      if (node.type === 'command') found.commands.push(wordsOf(node))
      if (node.type === 'file_redirect' && /^\d*(?:>|>\||&>|>&)[^>&|]/.test(node.text)) {
        const target = node.namedChildren.at(-1)
        if (target && target.type !== 'file_descriptor' && !(target.type === 'number' && node.text.includes('>&')))
          found.overwritten.push(textOf(target))
      }
      open.push(...node.children.toReversed())
    }
    return found
  } finally {
    tree.delete()
  }
}

function wordsOf(command: Node): string[] {
  return command.namedChildren
    .filter(({ type }) => type !== 'variable_assignment' && !type.endsWith('_redirect'))
    .map(textOf)
}

/** A word without its quotes and backslashes, as the shell would pass it on if it held nothing to expand. */
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
