import type { UnusedContribution } from '../../../shared/extensions/extensions.ts'

const needsCode = 'Needs code of the extension, which Tizona does not run.'
const noCounterpart = 'Tizona has nothing like it.'

/** What an extension can contribute that Tizona does not use, with VS Code's names. */
const unused: Readonly<Record<string, readonly [name: string, reason: string]>> = {
  authentication: ['authentication', needsCode],
  breakpoints: ['breakpoints', 'Each debugger of Tizona knows its own languages.'],
  colors: ['colors', 'Only code or the themes of the extension use them.'],
  commands: ['commands', needsCode],
  configuration: ['settings', needsCode],
  configurationDefaults: ['default settings', 'An extension does not change your settings.'],
  customEditors: ['custom editors', needsCode],
  debuggers: ['debuggers', needsCode],
  icons: ['product icons', noCounterpart],
  menus: ['menu items', needsCode],
  notebooks: ['notebooks', needsCode],
  notebookRenderer: ['notebook renderers', needsCode],
  problemMatchers: ['problem matchers', 'Tasks use the problem matchers that Tizona knows, and those of tasks.json.'],
  problemPatterns: ['problem patterns', 'Tasks use the problem patterns that Tizona knows, and those of tasks.json.'],
  productIconThemes: ['product icon themes', noCounterpart],
  semanticTokenScopes: [
    'scopes of semantic tokens',
    'Semantic tokens of language servers have the colors of the theme.',
  ],
  semanticTokenModifiers: ['modifiers of semantic tokens', needsCode],
  semanticTokenTypes: ['types of semantic tokens', needsCode],
  submenus: ['submenus', needsCode],
  taskDefinitions: ['kinds of tasks', needsCode],
  terminal: ['terminal profiles', needsCode],
  typescriptServerPlugins: ['plug-ins of the TypeScript server', needsCode],
  views: ['views', needsCode],
  viewsContainers: ['view containers', needsCode],
  viewsWelcome: ['welcome texts of views', needsCode],
  walkthroughs: ['walkthroughs', needsCode],
}
const usedKinds = new Set([
  'themes',
  'iconThemes',
  'languages',
  'grammars',
  'snippets',
  'keybindings',
  'jsonValidation',
])

/** Pure: lists what of a manifest Tizona does not use, and why. */
export function unusedContributions(manifest: {
  main?: unknown
  browser?: unknown
  contributes: Readonly<Record<string, unknown>>
}): UnusedContribution[] {
  const listed = Object.entries(manifest.contributes)
    .filter(([kind]) => !usedKinds.has(kind))
    .slice(0, 100)
    .map(([kind, value]): UnusedContribution => {
      const [name, reason] = (Object.hasOwn(unused, kind) ? unused[kind] : undefined) ?? [kind.slice(0, 100), needsCode]
      const count = Array.isArray(value) ? value.length : 0
      return { name: count > 1 ? `${name} (${count})` : name, reason }
    })
  const hasCode = manifest.main !== undefined || manifest.browser !== undefined
  return hasCode ? [{ name: 'its program', reason: 'Tizona runs no code of extensions.' }, ...listed] : listed
}
