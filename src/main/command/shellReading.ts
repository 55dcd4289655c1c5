import type { Node, Tree } from 'web-tree-sitter'
import { hasHiddenInCommand } from '../../shared/text/visibleText.ts'
import { overdue, parseBash } from './shellParse.ts'

/** Maximum UTF-16 units of a line that is read. */
const maxCharacters = 100_000
/** Maximum milliseconds of processor time for walking the parsed line. */
const maxReadTime = 40
/** Number of nodes between checks of the time limit. */
const nodesPerLook = 200

/** A word of a command, as far as it is known before the shell expands it. */
export interface ReadWord {
  /** What the program receives. Parts that the shell expands are as written. */
  text: string
  /** Set if the shell expands a part of it. `words`: the result can be none or several words. */
  unknown?: 'part' | 'words'
}

/** Where a command reads its standard input from. */
export type StandardInput =
  | { kind: 'inherited' }
  /** A pipe or a descriptor. */
  | { kind: 'unknown' }
  | { kind: 'text'; word: ReadWord }
  | { kind: 'file'; word: ReadWord }

/** A command and the variables set for it. */
export interface ReadCommand {
  words: ReadWord[]
  assignments: { name: string; value: ReadWord }[]
  stdin: StandardInput
}

export interface ShellReading {
  commands: ReadCommand[]
  /** Words assigned to variables and loop variables, which can become commands later. */
  values: ReadWord[]
  /** Why the line, or a part of it, cannot be read: a sentence about it. */
  unread?: string
}

/**
 * Reads the commands of a line, including those in conditions, loops, functions, substitutions and subshells. Unlike
 * `parseShellLine` it also reads lines that are not plain: words that the shell expands are marked as unknown. Use it
 * to restrict commands, not to allow them. Does not throw for any text.
 */
export async function readShellLine(line: string): Promise<ShellReading> {
  const empty = { commands: [], values: [] }
  if (line.length > maxCharacters) return { ...empty, unread: 'It is too long to parse.' }
  const tree = await parseBash(line)
  if (tree === null) return { ...empty, unread: 'It takes too long to parse.' }
  try {
    const reading = readTree(tree, line)
    return { ...reading, unread: reading.unread ?? unreadable(line, tree) }
  } finally {
    tree.delete()
  }
}

/** Returns why bash may read a line differently from the grammar, or undefined. */
function unreadable(line: string, tree: Tree): string | undefined {
  if (process.platform === 'win32') return 'PowerShell commands are not parsed.'
  if (hasHiddenInCommand(line) || /[^\S \t\n]/.test(line)) return 'It contains control or invisible characters.'
  // Bash joins the words around a backslash and a line break. Next to a blank that makes no difference.
  if (/[^ \t\n]\\\n[^ \t\n]/.test(line) || line.includes('\\\t')) return 'It continues a word with a backslash.'
  return tree.rootNode.hasError ? 'It could not be parsed.' : undefined
}

type Open = { node: Node; stdin: StandardInput }

function readTree(tree: Tree, line: string): ShellReading {
  const isOverdue = overdue(maxReadTime)
  const reading: ShellReading = { commands: [], values: [] }
  const root = tree.rootNode
  if (isSkipped(line.slice(0, root.startIndex) + line.slice(root.endIndex)))
    reading.unread = 'Part of it was not recognized.'
  // Iterative, so that deep nesting does not overflow the stack.
  const open: Open[] = [{ node: root, stdin: { kind: 'inherited' } }]
  let count = 0
  for (let next = open.pop(); next; next = open.pop()) {
    if (++count % nodesPerLook === 0 && isOverdue()) return { ...reading, unread: 'It takes too long to parse.' }
    const { node } = next
    reading.unread ??= skippedPart(node, line)
    const stdin = redirected(node, next.stdin)
    if (node.type === 'heredoc_redirect' && node.namedChildren.some(isWord))
      reading.unread ??= 'Words of a command follow its here-document.'
    if (node.type === 'command' && !isArithmetic(node)) reading.commands.push(readCommand(node, stdin))
    // An array name can have a substitution in its index, which a test runs.
    if (node.type === 'test_command' && /^[^[]*\[.*\$/s.test(node.text.slice(1)))
      reading.values.push({ text: node.text })
    // `for x in rm; do $x; done` and `x=(rm)` contain words that become commands later.
    if (node.type === 'for_statement' || node.type === 'array') reading.values.push(...wordsIn(node))
    if (node.type === 'variable_assignment' && node.parent?.type !== 'command')
      reading.values.push(...wordsIn(node).slice(-1))
    const children = node.children.map((child, index): Open => {
      const piped = node.type === 'pipeline' && index > 0
      // The grammar puts the commands after a here-document into its node: `cat <<E | sh`.
      const after = node.type === 'heredoc_redirect'
      return { node: child, stdin: piped || after ? { kind: 'unknown' } : stdin }
    })
    open.push(...children.toReversed())
  }
  return reading
}

/**
 * Whether the text between two nodes is more than blanks and line continuations. The grammar drops a `-` before a
 * here-document (`git commit -F - <<E`), which means standard input.
 */
function isSkipped(gap: string): boolean {
  const text = gap.replaceAll('\\\n', ' ').trim()
  return text !== '' && !/^ +- *$/.test(gap)
}

/** Finds text that the grammar skipped, and words of a command that it split (`/""\\/a`). */
function skippedPart(node: Node, line: string): string | undefined {
  if (node.type === 'heredoc_body') return undefined
  let end = node.startIndex
  for (const [index, child] of node.children.entries()) {
    const gap = line.slice(end, child.startIndex)
    // `sh 0<<< x`: the grammar mistakes the descriptor for an argument.
    const touches = node.type === 'command' && index > 0 && gap === ''
    const joined = touches && (!child.type.endsWith('_redirect') || /^\d+$/.test(node.children[index - 1]?.text ?? ''))
    if (joined || isSkipped(gap)) return 'Part of it was not recognized.'
    end = child.endIndex
  }
  return node.childCount > 0 && isSkipped(line.slice(end, node.endIndex)) ? 'Part of it was not recognized.' : undefined
}

/** Returns where a statement reads its input from, if it redirects it. */
function redirected(node: Node, stdin: StandardInput): StandardInput {
  if (node.type !== 'redirected_statement' && node.type !== 'command') return stdin
  let found = stdin
  for (const child of node.namedChildren) {
    const descriptor = child.namedChildren.find(({ type }) => type === 'file_descriptor')?.text ?? '0'
    if (descriptor !== '0') continue
    const target = child.namedChildren.at(-1)
    if (child.type === 'herestring_redirect' && target) found = { kind: 'text', word: readWord(target) }
    if (child.type === 'heredoc_redirect') found = hereDocument(child)
    if (child.type === 'file_redirect' && /^0?<[^(]/.test(child.text) && target)
      found = child.text.includes('<&') ? { kind: 'unknown' } : { kind: 'file', word: readWord(target) }
  }
  return found
}

function hereDocument(node: Node): StandardInput {
  const body = node.namedChildren.find(({ type }) => type === 'heredoc_body')
  const start = node.namedChildren.find(({ type }) => type === 'heredoc_start')?.text ?? ''
  const text = body?.text ?? ''
  const literal = /["'\\]/.test(start) || !/[$`\\]/.test(text)
  return { kind: 'text', word: literal ? { text } : { text, unknown: 'words' } }
}

function readCommand(node: Node, stdin: StandardInput): ReadCommand {
  const children = node.namedChildren
  const words = children
    .filter(({ type }) => type !== 'variable_assignment' && !type.endsWith('_redirect'))
    .map((child) => readWord(child))
  const assignments = children
    .filter(({ type }) => type === 'variable_assignment')
    .map((child) => ({
      name: child.namedChildren[0]?.text ?? '',
      value: readWord(child.namedChildren.at(-1) ?? child),
    }))
  return { words, assignments, stdin }
}

/** The grammar puts words after the start of a here-document into its node, not into the command. */
function isWord({ type }: Node): boolean {
  return !/^(?:heredoc_|file_descriptor$|pipeline$|list$|command$|comment$)|_(?:redirect|statement)$/.test(type)
}

/** `((a = 1))`, which the grammar reads as a command name. */
function isArithmetic(node: Node): boolean {
  return node.text.startsWith('((')
}

/** Words of a node whose children are words. */
function wordsIn(node: Node): ReadWord[] {
  return node.namedChildren.filter(({ type }) => !/^(?:do_group|array|compound_statement)$/.test(type)).map(readWord)
}

const literalNodes = new Set([
  'word',
  'number',
  'variable_name',
  'test_operator',
  'string_content',
  '[',
  '[[',
  ']',
  ']]',
])

/** Returns the text of a word as the shell passes it on, and whether the shell expands a part of it. */
function readWord(node: Node): ReadWord {
  switch (node.type) {
    case 'command_name':
      return node.childCount === 1 && node.child(0) ? readWord(node.child(0) ?? node) : bareWord(node.text)
    case 'raw_string':
      return { text: node.text.slice(1, -1) }
    case 'ansi_c_string':
      return ansiString(node.text.slice(2, -1))
    case 'string':
    case 'translated_string':
      return quotedWord(node.text)
    case 'concatenation':
      return concatenated(node)
    default:
      return literalNodes.has(node.type) && node.namedChildCount === 0
        ? bareWord(node.text)
        : { text: node.text, unknown: node.type === 'process_substitution' ? 'part' : 'words' }
  }
}

/** Joins the parts of a word. Braces and brackets may be spread over several parts. */
function concatenated(node: Node): ReadWord {
  const parts = node.children.map((child) => (isBare(child) ? { text: unescaped(child.text) } : readWord(child)))
  const bare = node.children.filter(isBare).map((child) => child.text)
  const unknown = parts.some((part) => part.unknown === 'words') || isExpanded(bare.join(' ')) ? 'words' : undefined
  const part = parts.some((each) => each.unknown === 'part') ? 'part' : undefined
  return { text: parts.map(({ text }) => text).join(''), unknown: unknown ?? part }
}

function isBare(node: Node): boolean {
  return node.type === 'word' || node.type === 'number' || !node.isNamed
}

function bareWord(text: string): ReadWord {
  return isExpanded(text) ? { text, unknown: 'words' } : { text: unescaped(text) }
}

/** Whether bash expands unquoted text to file names or brace alternatives. `{}` and `[` stay. */
function isExpanded(text: string): boolean {
  const literal = text.replaceAll(/\\[\s\S]/g, '')
  return /[*?$`]|[@!+]\(|^[^[]*\[.*\]/s.test(literal) || (/^[^{]*\{.*\}/s.test(literal) && /,|\.\./.test(literal))
}

/** Text in double quotes, where a backslash escapes only `$`, a backtick, `"`, a backslash or a newline. */
function quotedWord(source: string): ReadWord {
  const inside = source.replace(/^\$?"/, '').replace(/"$/, '')
  const text = inside.replaceAll('\\\n', '').replaceAll(/\\([$`"\\])/g, '$1')
  const computed = inside.replaceAll(/\\[\s\S]/g, '')
  if (!/[$`]/.test(computed)) return { text }
  // "$@" and "${a[@]}" are several words.
  return { text, unknown: computed.includes('@') ? 'words' : 'part' }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, '$1')
}

const ansiEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Text of `$'…'`. Unknown for unsupported escapes. */
function ansiString(source: string): ReadWord {
  let unknown: 'part' | undefined
  const text = source.replaceAll(
    /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([\s\S]))/g,
    (all, hex?: string, short?: string, long?: string, octal?: string, letter?: string) => {
      const code =
        octal === undefined ? Number.parseInt(hex ?? short ?? long ?? '', 16) : Number.parseInt(octal, 8) & 0xff
      // Codes from 128 on are bytes, or characters of the locale.
      if (letter === undefined && code > 0 && code < 128) return String.fromCodePoint(code)
      const character =
        letter === undefined ? undefined : (ansiEscapes[letter] ?? (/["'?\\]/.test(letter) ? letter : undefined))
      if (character === undefined) unknown = 'part'
      return character ?? all
    },
  )
  return { text, unknown }
}
