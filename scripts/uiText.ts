import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/*
 * `npm run texts -- REVISION` prints the user-visible texts that differ between a git revision (HEAD by default) and
 * the working tree, for review. Texts are extracted from the syntax trees of the sources.
 */

/** Attributes and properties whose text is visible to users. */
const textNames = new Set(
  'title label description message detail placeholder hint next note asks text empty aria-label '
    .concat('ariaLabel aria-description alt tooltip heading confirm cancel problem what')
    .split(' '),
)
/** Functions and classes whose string arguments are visible to users. */
const textFunctions =
  /^(notify|notifyFailure|confirm|attempt|onNotice|ToolError|ModelError|UsageError|failure|describe\w+Problem)$/
/** Folders in which properties can be visible to users. Elsewhere in main, programs and models read them. */
const visibleFolders = /^src\/(renderer|shared|main\/(hosts|handlers|playback|settings))\//

interface Node {
  type: string
  [key: string]: unknown
}

/** Returns the visible texts of one file in source order, without duplicates. */
export function visibleTexts(file: string, source: string): string[] {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} cannot be parsed: ${errors[0]?.message}`)
  const texts = new Set<string>()
  const add = (text: string | undefined) => {
    const plain = text?.replace(/\s+/g, ' ').trim() ?? ''
    // A text contains a word of at least two letters. Class names, ids and keys have no space and no initial capital.
    if (/\p{L}{2}/u.test(plain) && (/[\s…]/.test(plain) || /^\p{Lu}/u.test(plain))) texts.add(plain)
  }
  const addAll = (node: unknown): void => {
    if (!isNode(node)) return
    if (node.type === 'JSXExpressionContainer') return addAll(node['expression'])
    if (node.type === 'Literal') return add(typeof node['value'] === 'string' ? node['value'] : undefined)
    if (node.type === 'TemplateLiteral') return add(templateText(node))
    for (const key of ['expression', 'consequent', 'alternate', 'left', 'right', 'argument', 'body']) addAll(node[key])
  }
  visit(program as unknown as Node, (node) => {
    if (node.type === 'JSXText') add(String(node['value']))

    if (node.type === 'JSXElement' || node.type === 'JSXFragment')
      for (const child of node['children'] as unknown[])
        if (isNode(child) && child.type === 'JSXExpressionContainer') addAll(child['expression'])
    if (node.type === 'JSXAttribute' && textNames.has(nameOf(node['name']))) addAll(node['value'])
    if (node.type === 'Property' && visibleFolders.test(file) && textNames.has(nameOf(node['key'])))
      addAll(node['value'])
    if ((node.type === 'CallExpression' || node.type === 'NewExpression') && textFunctions.test(nameOf(node['callee'])))
      for (const argument of node['arguments'] as unknown[]) addAll(argument)
  })
  return [...texts]
}

/**
 * Returns the visible texts that were removed (`- `) and added (`+ `) since a git revision, one per line with its file.
 * Ignores texts that only moved to another file.
 * @param root folder of the clone
 */
export function changedTexts(root: string, revision: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'core.quotePath=false', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
  const sources = (list: string) =>
    list.split('\n').filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\/testing\/|\.d\.ts$/.test(file))
  const changed = (status: string) =>
    sources(git('diff', '--no-renames', '--name-only', `--diff-filter=${status}`, revision, '--', 'src'))
  const untracked = sources(git('ls-files', '--others', '--exclude-standard', 'src'))
  const filesByText = (files: readonly string[], read: (file: string) => string) =>
    new Map(files.flatMap((file) => visibleTexts(file, read(file)).map((text) => [text, file] as const)))
  const before = filesByText(changed('MD'), (file) => git('show', `${revision}:${file}`))
  const after = filesByText([...changed('AM'), ...untracked], (file) => readFileSync(join(root, file), 'utf8'))
  const lines = (sign: string, texts: Map<string, string>, other: Map<string, string>) =>
    [...texts].filter(([text]) => !other.has(text)).map(([text, file]) => `${sign} ${file}: ${text}`)
  return [...lines('-', before, after), ...lines('+', after, before)]
}

function visit(node: Node, enter: (node: Node) => void): void {
  enter(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, enter)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function nameOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'MemberExpression') return nameOf(node['property'])
  return typeof node['name'] === 'string' ? node['name'] : typeof node['value'] === 'string' ? node['value'] : ''
}

/** Returns the text of a template literal with `{…}` for its values. */
function templateText(node: Node): string {
  const quasis = node['quasis'] as { value: { cooked: string } }[]
  return quasis.map(({ value }) => value.cooked).join('{…}')
}

if (import.meta.main) {
  for (const line of changedTexts(join(import.meta.dirname, '..'), process.argv[2] ?? 'HEAD')) console.log(line)
}
