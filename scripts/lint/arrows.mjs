import { dirname, join, relative, sep } from 'node:path'
import { params } from './params.mjs'

/**
 * Lint rule for the layers of docs/architecture.md. In main: hosts → core.ts and handlers → core/ →
 * workspaceServices → appServices → agent → tools → services → base → shared.
 * In the window: app → features → platform → ui → shared. Relative specifiers are resolved by joining paths, because
 * every import in this project includes the file extension.
 */

/**
 * The first matching layer applies. `imports`: layers that its files may import. `types`: layers for type imports only.
 */
const layers = [
  { name: 'shared', match: /^src\/shared\//, imports: ['shared'] },
  { name: 'preload', match: /^src\/preload\//, imports: ['preload', 'shared'], electron: true },
  { name: 'ui', match: /^src\/renderer\/ui\//, imports: ['ui', 'shared'], window: true },
  { name: 'platform', match: /^src\/renderer\/platform\//, imports: ['platform', 'ui', 'shared'], window: true },
  {
    name: 'app',
    match: /^src\/renderer\/(app\/|[^/]+$)/,
    imports: ['app', 'feature', 'platform', 'ui', 'shared'],
    window: true,
  },
  // Features use each other only through what they contribute to platform/.
  {
    name: 'feature',
    match: /^src\/renderer\/([^/]+)\//,
    imports: ['platform', 'ui', 'shared'],
    window: true,
    alone: true,
  },
  // Small utilities for all of main.
  { name: 'base', match: /^src\/main\/base\//, imports: ['base', 'shared'] },
  {
    name: 'entry',
    match: /^src\/main\/(serve|headless|remote)\.ts$/,
    imports: ['hosts', 'core', 'parts', 'appServices', 'base', 'shared'],
  },
  {
    name: 'desktop',
    match: /^src\/main\/(index\.ts$|hosts\/electron\/)/,
    imports: ['desktop', 'hosts', 'core', 'parts', 'appServices', 'base', 'shared'],
    electron: true,
  },
  {
    name: 'hosts',
    match: /^src\/main\/hosts\//,
    imports: ['hosts', 'core', 'parts', 'appServices', 'edit', 'base', 'shared'],
  },
  {
    name: 'core',
    match: /^src\/main\/(handlers\/|playback\/|modelCheck\/|[^/]+$)/,
    imports: [
      'core',
      'parts',
      'workspaceServices',
      'appServices',
      'agent',
      'tools',
      'service',
      'edit',
      'base',
      'shared',
    ],
  },
  {
    name: 'parts',
    match: /^src\/main\/core\//,
    imports: ['parts', 'workspaceServices', 'appServices', 'agent', 'tools', 'service', 'edit', 'base', 'shared'],
  },
  {
    name: 'workspaceServices',
    match: /^src\/main\/workspaceServices\//,
    imports: ['workspaceServices', 'appServices', 'agent', 'tools', 'service', 'edit', 'base', 'shared'],
  },
  {
    name: 'appServices',
    match: /^src\/main\/appServices\//,
    imports: ['appServices', 'agent', 'tools', 'service', 'edit', 'base', 'shared'],
  },
  { name: 'agent', match: /^src\/main\/agent\//, imports: ['agent', 'tools', 'service', 'edit', 'base', 'shared'] },
  { name: 'tools', match: /^src\/main\/tools\//, imports: ['tools', 'service', 'edit', 'base', 'shared'] },
  { name: 'edit', match: /^src\/main\/edit\//, imports: ['edit', 'base', 'shared'] },
  // A service may import the types of other services, which are their contract, but not their code.
  {
    name: 'service',
    match: /^src\/main\/([^/]+)\//,
    imports: ['edit', 'base', 'shared'],
    types: ['service'],
    alone: true,
  },
]

/** Folders of src/main/tools/ with the tools of one family each. */
const families = ['blade', 'ultrasushitron', 'rustant', 'rusty', 'tizona']
/** Folders of src/main/tools/ that the families import. */
const sharedByFamilies = /^src\/main\/tools\/(common|arguments|schema)\//
const familyOf = (path) => families.find((family) => path.startsWith(`src/main/tools/${family}/`))

/** Allowed type imports that point up, as `from -> to`. */
const knownTypes = new Set([])

/** Tests and their helpers may import everything. */
const test = /\.test\.tsx?$|\/testing(\/|\.ts$)/

/** Modules that start processes, and the only files that import them. */
const starters = /^(?:node:)?(?:child_process|cluster)$|^node-pty$/
const mayStart = [
  'src/main/base/startProcess.ts',
  // These start nothing: they replace functions of the module, so that others cannot.
  'src/main/lsp/javascriptServerEntry.ts',
  'src/main/model/file/libraryTest.ts',
]

const layerOf = (path) => layers.find((layer) => layer.match.test(path))

/** Returns the reason why a file may not import a specifier, or null. Paths are relative to the root and use `/`. */
export function violation(file, specifier, typeOnly) {
  const from = layerOf(file)
  if (from === undefined || test.test(file)) return null
  if (specifier === 'electron' || specifier.startsWith('electron/')) {
    return from.electron === true
      ? null
      : 'Only src/main/index.ts, src/main/hosts/electron and src/preload may import electron.'
  }
  if (starters.test(specifier) && !typeOnly && !mayStart.includes(file) && file.startsWith('src/main/'))
    return `Every process starts in src/main/base/startProcess.ts, which decides whether it may (${specifier}).`
  if (!specifier.startsWith('.')) return nodeInWindow(from, specifier)
  const target = join(dirname(file), specifier.replace(/\?.*$/, '')).split(sep).join('/')
  const to = layerOf(target)
  const [ownFamily, targetFamily] = [familyOf(file), familyOf(target)]
  if (targetFamily !== undefined && ownFamily !== targetFamily) {
    if (ownFamily !== undefined)
      return `A tool family imports no other (${target}): code that families share is in tools/common/.`
    if (sharedByFamilies.test(file)) return `Code that families share imports no family (${target}).`
  }
  if (to === undefined || from.imports.includes(to.name)) return null
  if (from.alone === true && to.name === from.name && from.match.exec(file)?.[1] === to.match.exec(target)?.[1])
    return null
  if (typeOnly && (from.types?.includes(to.name) || knownTypes.has(`${file} -> ${target}`))) return null
  if (from.name === 'service' && to.name === 'service')
    return `A service does not run another's code (${target}): tools, handlers or core.ts join them.`
  if (from.name === 'feature' && to.name === 'feature')
    return `A feature imports no other (${target}): it contributes to platform/, or app/ joins them.`
  return `${from.name} may not import from ${to.name} (${target}): arrows point down, see docs/architecture.md.`
}

/** Returns the reason why code that runs in the window may not import a Node module, or null. */
function nodeInWindow(from, specifier) {
  const pure = from.window === true || from.name === 'shared'
  return pure && specifier.startsWith('node:')
    ? `${from.name} runs in the window too, where there is no ${specifier}.`
    : null
}

const arrows = {
  meta: { type: 'problem', docs: { description: 'imports follow the arrows of the design' }, schema: [] },
  create(context) {
    const file = relative(context.cwd, context.filename).split(sep).join('/')
    const check = (node, source, typeOnly) => {
      const message =
        source?.type === 'Literal' && typeof source.value === 'string' ? violation(file, source.value, typeOnly) : null
      if (message !== null) context.report({ node, message })
    }
    return {
      ImportDeclaration: (node) => check(node, node.source, node.importKind === 'type'),
      ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: (node) => check(node, node.source, false),
      TSImportType: (node) => check(node, node.source ?? node.argument?.literal, true),
      CallExpression: (node) => {
        const { callee } = node
        const isRequire = callee.type === 'Identifier' && callee.name === 'require'
        // createRequire(import.meta.url)('…')
        const isCreated = callee.type === 'CallExpression' && callee.callee.name === 'createRequire'
        // process.getBuiltinModule('…')
        const isBuiltin = callee.type === 'MemberExpression' && callee.property.name === 'getBuiltinModule'
        if (isRequire || isCreated || isBuiltin) check(node, node.arguments[0], false)
      },
      NewExpression: (node) => {
        // Workers are imported with new URL('./worker.ts', import.meta.url).
        if (node.callee.type === 'Identifier' && node.callee.name === 'URL') check(node, node.arguments[0], false)
      },
    }
  },
}

export default { meta: { name: 'tizona' }, rules: { arrows, params } }
