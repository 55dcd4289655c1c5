import { init, parse } from 'es-module-lexer'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { parseAst } from 'vite'

/** A specifier that a built file imports or requires. */
export interface Required {
  file: string
  specifier: string
}

/**
 * Returns the specifiers in the built files below a folder, sorted by file. Paths are relative to the folder and use
 * `/`.
 */
export function requiredBelow(folder: string): Required[] {
  return scriptsBelow(folder).flatMap(({ file, source }) =>
    requiredBy(source).map((specifier) => ({ file, specifier })),
  )
}

/**
 * Returns the imports and literal `require` calls in the built files of the window. Uses a lexer, which reads the 16 MB
 * of the window in under a second; a parser takes most of a minute. Computed specifiers cannot be checked.
 */
export async function importedBelow(folder: string): Promise<Required[]> {
  await init
  return scriptsBelow(folder).flatMap(({ file, source }) =>
    importedBy(source).map((specifier) => ({ file, specifier })),
  )
}

/** Requires `init` of es-module-lexer. */
function importedBy(source: string): string[] {
  const imported = parse(source)[0].flatMap(({ n: specifier }) => specifier ?? [])
  const required = source.matchAll(/(?<![\w$.])_*require\(\s*(["'`])([^"'`$]+)\1\s*\)/g)
  return [...new Set([...imported, ...Array.from(required, (match) => match[2] ?? '')])]
}

function scriptsBelow(folder: string): { file: string; source: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?js$/.test(name))
    .toSorted()
    .map((name) => ({
      file: relative(folder, join(folder, name)).split(sep).join('/'),
      source: readFileSync(join(folder, name), 'utf8'),
    }))
}

/**
 * Returns the literal specifiers in a built file: imports, re-exports, `import()`, `import.meta.resolve()`, and
 * `require()` and `require.resolve()` under the names of bundlers and `createRequire`, and `process.getBuiltinModule()`.
 */
export function requiredBy(source: string): string[] {
  const found = new Set<string>()
  // Parsed, because strings and comments can contain `import` and `require`.
  visit(parseAst(source), (node) => {
    if (['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'].includes(node.type))
      add(found, node['source'])
    // Every call has arguments.
    if (node.type === 'CallExpression' && isRequire(node['callee'])) add(found, (node['arguments'] as unknown[])[0])
  })
  return [...found]
}

interface AstNode {
  type: string
  [key: string]: unknown
}

/** Text of a template between its expressions. */
interface TemplateText {
  value: { cooked: string }
}

function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}

function visit(value: unknown, see: (node: AstNode) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see)
  if (!isNode(value)) return
  see(value)
  for (const child of Object.values(value)) if (typeof child === 'object' && child !== null) visit(child, see)
}

/**
 * `require`, `require2`, `__require`, `require.resolve`, `createRequire(…)(…)`, `createRequire(…).resolve`,
 * `import.meta.resolve`, `process.getBuiltinModule`.
 */
function isRequire(callee: unknown): boolean {
  if (!isNode(callee)) return false
  if (callee.type === 'Identifier') return /^_*require\d*\$?\d*$/.test(String(callee['name']))
  if (callee.type === 'CallExpression')
    return isNode(callee['callee']) && String(callee['callee']['name']).startsWith('createRequire')
  if (callee.type !== 'MemberExpression' || !isNode(callee['property'])) return false
  if (callee['property']['name'] === 'getBuiltinModule') return true
  if (callee['property']['name'] !== 'resolve') return false
  return isRequire(callee['object']) || (isNode(callee['object']) && callee['object'].type === 'MetaProperty')
}

function add(found: Set<string>, source: unknown): void {
  if (!isNode(source)) return
  if (source.type === 'Literal' && typeof source['value'] === 'string') found.add(source['value'])
  // The minifier writes texts as templates.
  const [only, ...others] = source.type === 'TemplateLiteral' ? (source['quasis'] as TemplateText[]) : []
  if (only && others.length === 0) found.add(only.value.cooked)
}
