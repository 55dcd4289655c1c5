import { dirname, join, relative, sep } from 'node:path'

/**
 * The import arrows of docs/architecture.md as a lint rule: shell → core → agent → tools → services → base → shared, and
 * renderer → shared ← preload. Every import in this project carries its file's extension, so a relative specifier is
 * resolved by joining paths and nothing has to be looked up on disk.
 */

/** First match wins. A layer is what its files may import; types may be taken from `types` as well. */
const layers = [
  { name: 'shared', match: /^src\/shared\//, imports: ['shared'] },
  { name: 'preload', match: /^src\/preload\//, imports: ['preload', 'shared'], electron: true },
  { name: 'renderer', match: /^src\/renderer\//, imports: ['renderer', 'shared'] },
  // Small utilities without a subject of their own, for all of main.
  { name: 'base', match: /^src\/main\/base\//, imports: ['base', 'shared'] },
  { name: 'entry', match: /^src\/main\/(serve|headless)\.ts$/, imports: ['shell', 'core', 'base', 'shared'] },
  { name: 'desktop', match: /^src\/main\/(index\.ts$|shell\/electron\/)/, imports: ['desktop', 'shell', 'core', 'base', 'shared'], electron: true },
  { name: 'shell', match: /^src\/main\/shell\//, imports: ['shell', 'core', 'edit', 'base', 'shared'] },
  { name: 'core', match: /^src\/main\/(handlers\/|[^/]+$)/, imports: ['core', 'agent', 'tools', 'service', 'edit', 'base', 'shared'] },
  { name: 'agent', match: /^src\/main\/agent\//, imports: ['agent', 'tools', 'service', 'edit', 'base', 'shared'] },
  { name: 'tools', match: /^src\/main\/tools\//, imports: ['tools', 'service', 'edit', 'base', 'shared'] },
  { name: 'edit', match: /^src\/main\/edit\//, imports: ['edit', 'shared'] },
  // A service may know another's types, which are its contract, but runs only its own code.
  { name: 'service', match: /^src\/main\/([^/]+)\//, imports: ['edit', 'base', 'shared'], types: ['service'] },
]

/** Imports of a type that point up on purpose, as `from -> to`. */
const knownTypes = new Set([])

/** Tests put any parts together, and so do the helpers they share. */
const test = /\.test\.tsx?$|\/testing(\/|\.ts$)/

const layerOf = (path) => layers.find((layer) => layer.match.test(path))

/** Why a file may not import a specifier, or null. Paths are relative to the root, with `/`. */
export function violation(file, specifier, typeOnly) {
  const from = layerOf(file)
  if (from === undefined || test.test(file)) return null
  if (specifier === 'electron' || specifier.startsWith('electron/')) {
    return from.electron === true ? null : 'Only src/main/index.ts, src/main/shell/electron and src/preload may import electron.'
  }
  if (!specifier.startsWith('.')) return nodeInWindow(from, specifier)
  const target = join(dirname(file), specifier.replace(/\?.*$/, '')).split(sep).join('/')
  const to = layerOf(target)
  if (to === undefined || from.imports.includes(to.name)) return null
  if (from.name === 'service' && to.name === 'service' && from.match.exec(file)?.[1] === to.match.exec(target)?.[1]) return null
  if (typeOnly && (from.types?.includes(to.name) || knownTypes.has(`${file} -> ${target}`))) return null
  if (from.name === 'service' && to.name === 'service') return `A service does not run another's code (${target}): tools, handlers or core.ts join them.`
  return `${from.name} may not import from ${to.name} (${target}): arrows point down, see docs/architecture.md.`
}

/** What runs in a page, and what both sides share, has no Node. */
function nodeInWindow(from, specifier) {
  const pure = from.name === 'renderer' || from.name === 'shared'
  return pure && specifier.startsWith('node:') ? `${from.name} runs in the window too, where there is no ${specifier}.` : null
}

const arrows = {
  meta: { type: 'problem', docs: { description: 'imports follow the arrows of the design' }, schema: [] },
  create(context) {
    const file = relative(context.cwd, context.filename).split(sep).join('/')
    const check = (node, source, typeOnly) => {
      const message = source?.type === 'Literal' && typeof source.value === 'string' ? violation(file, source.value, typeOnly) : null
      if (message !== null) context.report({ node, message })
    }
    return {
      ImportDeclaration: (node) => check(node, node.source, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source, false),
      TSImportType: (node) => check(node, node.source ?? node.argument?.literal, true),
      CallExpression: (node) => {
        if (node.callee.type === 'Identifier' && node.callee.name === 'require') check(node, node.arguments[0], false)
      },
      NewExpression: (node) => {
        // new URL('./worker.ts', import.meta.url): a worker is an import too.
        if (node.callee.type === 'Identifier' && node.callee.name === 'URL') check(node, node.arguments[0], false)
      },
    }
  },
}

export default { meta: { name: 'tizona' }, rules: { arrows } }
