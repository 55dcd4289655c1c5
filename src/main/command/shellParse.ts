import { createRequire } from 'node:module'
import type { Node, Parser, Tree } from 'web-tree-sitter'
import { hasHiddenInCommand } from '../../shared/text/visibleText.ts'

const maxLineLength = 10_000
/**
 * Maximum milliseconds of processor time, because parsing blocks the window. Ordinary lines take about one; lines of
 * 100,000 characters with here-documents took a minute.
 */
const maxParseTime = 40
/**
 * Maximum number of commands in a line. Users do not type longer chains, and attackers have used them to bypass checks.
 */
const maxCommands = 50

export type ParsedLine =
  /**
   * Simple commands of literal words, joined by `&&`, `||`, `;`, `|` or newlines. `documents`: indexes of those that
   * may read a here-document or here-string of literal text.
   */
  { plain: true; commands: string[][]; documents?: number[] } | { plain: false; reason: string }

/** Reasons why a node is not plain, shown to the user. */
const meanings: Readonly<Record<string, string>> = {
  command_substitution: 'It contains a command substitution.',
  process_substitution: 'It contains a process substitution.',
  simple_expansion: 'It expands a variable.',
  expansion: 'It expands a variable.',
  arithmetic_expansion: 'It contains an arithmetic expansion.',
  brace_expression: 'It contains a brace expansion.',
  ansi_c_string: "It contains a $'…' string.",
  translated_string: 'It contains a $"…" string.',
  variable_assignment: 'It sets a variable.',
  variable_assignments: 'It sets a variable.',
  declaration_command: 'It declares a variable.',
  unset_command: 'It unsets a variable.',
  function_definition: 'It defines a function.',
  subshell: 'It contains a subshell.',
  compound_statement: 'It contains a group.',
  redirected_statement: 'It redirects to or from a file.',
  file_redirect: 'It redirects to or from a file.',
  heredoc_redirect: 'It contains a here-document.',
  herestring_redirect: 'It contains a here-string.',
  negated_command: 'It negates a command.',
  test_command: 'It contains a test.',
  comment: 'It contains a comment.',
}

/** Words that the grammar parses as program names, but bash as syntax. */
const reserved = new Set(
  'coproc time then do done fi esac elif else if for while until case select function in ! [['.split(' '),
)

class NotPlain extends Error {}

function notPlain(node: Node): never {
  const other = node.type.endsWith('_statement') ? 'It contains a loop or condition.' : `It contains \`${node.type}\`.`
  throw new NotPlain(meanings[node.type] ?? other)
}

let loading: Promise<Parser> | undefined
const firstLine = 'cd a && b --c="d e" \'f\' | g > /dev/null 2>&1; if h; then i "$(j ${k:-l})"; fi <<M\nn\nM\n'

/**
 * Parses a line within the time limit.
 * @returns null if it takes too long
 */
export async function parseBash(line: string): Promise<Tree | null> {
  const parser = await bashParser()
  const tree = parser.parse(line, null, { progressCallback: overdue(maxParseTime) })
  // Without a reset, the next parse would resume this line.
  if (tree === null) parser.reset()
  return tree
}

/** Loads parser and grammar on first use: about 2 MB of WebAssembly that read-only sessions do not need. */
async function bashParser(): Promise<Parser> {
  loading ??= (async () => {
    const [{ Language, Parser }, { startTreeSitter }] = await Promise.all([
      import('web-tree-sitter'),
      import('../base/treeSitterEngine.ts'),
    ])
    await startTreeSitter(Parser)
    const grammar = createRequire(import.meta.url).resolve('@vscode/tree-sitter-wasm/wasm/tree-sitter-bash.wasm')
    const parser = new Parser()
    parser.setLanguage(await Language.load(grammar))
    // Compiles the grammar, which would otherwise count as time for the first line.
    parser.parse(firstLine)?.delete()
    return parser
  })()
  return loading
}

/**
 * Parses a command line like bash and returns its commands if they are certain. Fails closed: only literal words are
 * plain; any node, character or token not listed here makes the line not plain. Duplicating a descriptor (`2>&1`) and
 * `> /dev/null` change no file and are allowed. Does not throw for any text.
 */
export async function parseShellLine(command: string): Promise<ParsedLine> {
  if (process.platform === 'win32') return { plain: false, reason: 'PowerShell commands are not parsed.' }
  if (command.trim() === '') return { plain: false, reason: 'It is empty.' }
  if (command.length > maxLineLength) return { plain: false, reason: `It is longer than ${maxLineLength} characters.` }
  // Bash does not separate words at non-ASCII blanks, but the grammar does, and they look like blanks.
  if (hasHiddenInCommand(command) || /[^\S \t\n]/.test(command)) {
    return { plain: false, reason: 'It contains control or invisible characters.' }
  }
  // Bash joins words around `\` and newline and keeps `\` and tab. The grammar splits words at both.
  if (/\\[\n\t]/.test(command)) return { plain: false, reason: 'It continues a line with a backslash.' }
  const tree = await parseBash(command)
  if (tree === null) return { plain: false, reason: 'It takes too long to parse.' }
  try {
    if (tree.rootNode.hasError) return { plain: false, reason: 'It could not be parsed.' }
    const commands: string[][] = []
    const documents: number[] = []
    const root = tree.rootNode
    const outside = command.slice(0, root.startIndex) + command.slice(root.endIndex)
    if (/[^ \t\n]/.test(outside)) throw new NotPlain('Part of it was not recognized.')
    assertNothingSkipped(root, command)
    collect(root, { line: command, commands, documents })
    return commands.length > 0
      ? { plain: true, commands, ...(documents.length > 0 && { documents }) }
      : { plain: false, reason: 'It contains no command.' }
  } catch (error) {
    if (error instanceof NotPlain) return { plain: false, reason: error.message }
    throw error
  } finally {
    tree.delete()
  }
}

/**
 * Limits processor time, because on a busy machine the clock also counts other work. The clock is checked first,
 * because it is cheap.
 */
export function overdue(milliseconds: number): () => boolean {
  const deadline = performance.now() + milliseconds
  const before = process.threadCpuUsage()
  return () => {
    if (performance.now() <= deadline) return false
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1000 > milliseconds
  }
}

/** Duplicates a descriptor, drops output, or reads nothing. */
const harmlessRedirect = /^(?:\d?>&\d|(?:\d?|&)>>? *\/dev\/null|0?< *\/dev\/null)$/

interface Collected {
  line: string
  commands: string[][]
  documents: number[]
}

function collect(node: Node, found: Collected): void {
  const { commands } = found
  switch (node.type) {
    case 'program':
    case 'list':
    case 'pipeline':
      for (const child of node.children) {
        if (child.isNamed) collect(child, found)
        else if (child.type === '&') throw new NotPlain('It starts something in the background.')
        else if (!['&&', '||', ';', '|', '|&', '\n'].includes(child.type)) notPlain(child)
      }
      return
    case 'redirected_statement':
      for (const child of node.namedChildren) {
        if (child.type === 'file_redirect' && harmlessRedirect.test(child.text)) continue
        if (child.type === 'heredoc_redirect') collectDocument(child, found)
        else if (child.type === 'command' || child.type === 'pipeline' || child.type === 'list') collect(child, found)
        else notPlain(child)
      }
      return
    case 'command':
      if (reserved.has(node.child(0)?.text ?? '')) throw new NotPlain(`It uses the shell's \`${node.child(0)?.text}\`.`)
      commands.push(wordsOf(node, found))
      if (commands.length > maxCommands) throw new NotPlain(`It runs more than ${maxCommands} commands.`)
      return
    default:
      notPlain(node)
  }
}

/** Returns the words of a command. Records a here-string of literal text, which must follow the words. */
function wordsOf(node: Node, { commands, documents }: Collected): string[] {
  const last = node.children.at(-1)
  const text = last?.type === 'herestring_redirect' ? last.children : undefined
  if (text !== undefined) {
    if (text.length !== 2 || text[0]?.type !== '<<<' || !text[1]) notPlain(last ?? node)
    word(text[1])
    documents.push(commands.length)
  }
  const words = text === undefined ? node.children : node.children.slice(0, -1)
  return words.map((child) => word(child.type === 'command_name' ? onlyChild(child) : child))
}

/**
 * Accepts a here-document in which bash expands nothing, if the grammar and bash agree on its end. The grammar puts the
 * rest of the line into its node, except further arguments, which are not accepted.
 */
function collectDocument(node: Node, found: Collected): void {
  const { line, commands, documents } = found
  // Which command reads it does not matter.
  documents.push(...commands.keys())
  const parts = new Map(node.children.map((child) => [child.type, child]))
  const [start, body, end] = [parts.get('heredoc_start'), parts.get('heredoc_body'), parts.get('heredoc_end')]
  const name = /^(?:'(\w+)'|"(\w+)"|\\?(\w+))$/.exec(start?.text ?? '')
  if (!start || !body || !end || !name) notPlain(node)
  const isQuoted = name[3] === undefined || start.text.startsWith('\\')
  if (!isQuoted && /[$`\\]/.test(body.text)) notPlain(node)
  const mark = name.slice(1).find((each) => each !== undefined)
  const tabs = node.child(0)?.type === '<<-' ? '\\t*' : ''
  const bodyStart = line.indexOf('\n', start.endIndex) + 1
  const last = new RegExp(`^${tabs}${mark}$`, 'm').exec(line.slice(bodyStart))
  const endsThere = last !== null && bodyStart + last.index + last[0].length === end.endIndex
  const startsThere =
    bodyStart > 0 && body.startIndex >= bodyStart && line.slice(bodyStart, body.startIndex).trim() === ''
  if (!startsThere || !endsThere) notPlain(node)
  const before = commands.length
  for (const child of node.namedChildren) {
    if (child === start || child === body || child === end || child.type.startsWith('heredoc_')) continue
    if (child.type === 'file_redirect' && harmlessRedirect.test(child.text)) continue
    if (child.type === 'command' || child.type === 'pipeline' || child.type === 'list') collect(child, found)
    else notPlain(child)
  }
  for (let index = before; index < commands.length; index++) documents.push(index)
}

/**
 * Checks that the grammar skipped nothing that bash reads. Words of a command must be separated, because after an empty
 * string the grammar may end a word that continues in bash (`/""\\/a`), and skipped text must be blank (`\\ ` at the
 * end of a line).
 */
function assertNothingSkipped(node: Node, line: string): void {
  let end = node.startIndex
  for (const [index, child] of node.children.entries()) {
    const gap = line.slice(end, child.startIndex)
    if (/[^ \t\n]/.test(gap)) throw new NotPlain('Part of it was not recognized.')
    if (node.type === 'command' && index > 0 && gap === '') throw new NotPlain('Its words are not separated.')
    assertNothingSkipped(child, line)
    end = child.endIndex
  }
  if (node.childCount > 0 && /[^ \t\n]/.test(line.slice(end, node.endIndex)))
    throw new NotPlain('Part of it was not recognized.')
}

function onlyChild(node: Node): Node {
  const child = node.child(0)
  if (child === null || node.childCount !== 1) notPlain(node)
  return child
}

function word(node: Node): string {
  switch (node.type) {
    case 'word':
    case 'number':
      if (node.childCount > 0) notPlain(node)
      return bareWord(node.text)
    case 'raw_string':
      return node.text.slice(1, -1)
    case 'string':
      return quotedWord(node)
    case 'concatenation':
      return node.children.map((child) => word(child)).join('')
    default:
      return notPlain(node)
  }
}

/** Returns unquoted text. Rejects everything that bash could expand. */
function bareWord(text: string): string {
  const literal = text.replaceAll(/\\[^\n]/g, '')
  if (/[*?[\]]/.test(literal)) throw new NotPlain('It contains a file pattern.')
  if (/^~|[:=]~/.test(literal)) throw new NotPlain('It contains a ~.')
  if (/[{}]/.test(literal)) throw new NotPlain('It contains a brace expansion.')
  if (/[\s\\'"`$&|;<>()]/.test(literal) || /^[#!]/.test(literal)) throw new NotPlain('It contains a special character.')
  return text.replaceAll(/\\([^\n])/g, '$1')
}

/**
 * Returns text in double quotes, where a backslash escapes only `$`, a backtick, `"`, a backslash or a newline. POSIX
 * 2.2.3.
 */
function quotedWord(node: Node): string {
  for (const child of node.children) if (child.type !== '"' && child.type !== 'string_content') notPlain(child)
  if (!node.text.startsWith('"') || !node.text.endsWith('"')) notPlain(node)
  const inside = node.text.slice(1, -1)
  if (/[$`]/.test(inside.replaceAll(/\\[\s\S]/g, ''))) throw new NotPlain('It expands a variable.')
  return inside.replaceAll(/\\([$`"\\])/g, '$1')
}
