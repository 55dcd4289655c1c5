import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

/*
 * Generates docs/ui-text.md: every text that users read, with its file, so that the wording can be reviewed in one
 * place. Texts are extracted from the syntax trees of the sources.
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
    // A text contains a word of two letters. Class names, ids and keys have no space and no initial capital.
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

/** Returns the content of docs/ui-text.md. @param root folder of the clone */
export function uiTextDocs(root: string): string {
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', 'src']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.|\/testing\/|\.d\.ts$/.test(file))
    .toSorted()
  const sections = files.flatMap((file) => {
    const texts = visibleTexts(file, readFileSync(join(root, file), 'utf8'))
    return texts.length > 0 ? [`## ${file}\n\n${texts.map((text) => `- ${escape(text)}\n`).join('')}`] : []
  })
  return `# Texts that users read\n\nWritten by \`npm run docs\` from the sources. \`…\` in braces stands for a value.\n\n${sections.join('\n')}`
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

function escape(text: string): string {
  return text.replace(/[*_<>[\]`|\\]/g, (sign) => `\\${sign}`)
}
