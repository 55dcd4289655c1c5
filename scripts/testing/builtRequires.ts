import { init, parse } from 'es-module-lexer'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { parseAst } from 'vite'

/** A module that a built file asks for by name, with the file. */
export interface Required {
  file: string
  specifier: string
}

/** What the built files below a folder ask for, in the order of their names. Paths are relative to the folder, with `/`. */
export function requiredBelow(folder: string): Required[] {
  return scriptsBelow(folder).flatMap(({ file, source }) =>
    requiredBy(source).map((specifier) => ({ file, specifier })),
  )
}

/**
 * What the built files of the window below a folder import, and what they `require` by a text. Read by a lexer: the 16 MB of the window take
 * it well under a second, a parser most of a minute. An `import()` of a computed text names nothing that can be checked.
 */
export async function importedBelow(folder: string): Promise<Required[]> {
  await init
  return scriptsBelow(folder).flatMap(({ file, source }) =>
    importedBy(source).map((specifier) => ({ file, specifier })),
  )
}

/** Needs `init` of es-module-lexer. */
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
 * The specifiers of a built file: static imports and exports, `import()` of a text, `require()` and `require.resolve()` of a text whatever
 * bundler or `createRequire` called it, and `import.meta.resolve()`.
 */
export function requiredBy(source: string): string[] {
  const found = new Set<string>()
  // A parsed file: an `import` and a `require` are read from it, and not from what a text or comment of it says.
  visit(parseAst(source), (node) => {
    if (['ImportDeclaration', 'ExportNamedDeclaration', 'ExportAllDeclaration', 'ImportExpression'].includes(node.type))
      add(found, node['source'])
    if (node.type === 'CallExpression' && isRequire(node['callee'])) add(found, (node['arguments'] as unknown[])[0]) // Every call has arguments.
  })
  return [...found]
}

interface AstNode {
  type: string
  [key: string]: unknown
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

/** `require`, `require2`, `__require`, `require.resolve`, `createRequire(…)(…)`, `createRequire(…).resolve`, `import.meta.resolve`. */
function isRequire(callee: unknown): boolean {
  if (!isNode(callee)) return false
  if (callee.type === 'Identifier') return /^_*require\d*\$?\d*$/.test(String(callee['name']))
  if (callee.type === 'CallExpression')
    return isNode(callee['callee']) && String(callee['callee']['name']).startsWith('createRequire')
  if (callee.type !== 'MemberExpression' || !isNode(callee['property']) || callee['property']['name'] !== 'resolve')
    return false
  return isRequire(callee['object']) || (isNode(callee['object']) && callee['object'].type === 'MetaProperty')
}

function add(found: Set<string>, source: unknown): void {
  if (isNode(source) && source.type === 'Literal' && typeof source['value'] === 'string') found.add(source['value'])
}
