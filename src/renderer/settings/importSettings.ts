import type { ImportReport } from '../../shared/settings/editorImport.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { currentWorkspace } from '../platform/appState.ts'
import { confirm } from '../platform/confirm.ts'
import { openText } from '../platform/editor/editorService.ts'
import { notify } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'

const countsOf = ({ settings, keybindings, snippets }: ImportReport): string =>
  [
    plural(settings.length, 'setting'),
    plural(keybindings.length, 'keyboard shortcut'),
    plural(snippets.length, 'snippet file'),
  ].join(', ')

const linesOf = ({ settings, keybindings, snippets, skipped }: ImportReport): string[] => [
  ...settings,
  ...keybindings,
  ...snippets,
  ...skipped.map((line) => `Not imported: ${line}`),
]

/** Formats a report as Markdown. */
function reportText(title: string, { settings, keybindings, snippets, skipped }: ImportReport): string {
  const section = (heading: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', `## ${heading}`, '', ...lines.map((line) => `- ${line}`)]
  return [
    `# Imported from ${title}`,
    ...section('Settings', settings),
    ...section('Keyboard shortcuts', keybindings),
    ...section('Snippet files', snippets),
    ...section('Not imported', skipped),
    '',
  ].join('\n')
}

/** Asks for an editor, shows what would be imported from it and what not, and imports it. */
export async function importSettings(): Promise<void> {
  const sources = await request('editorImport.sources', {})
  const [first] = sources
  if (!first)
    return notify('info', 'Neither VS Code nor Cursor has settings for you on this machine.', {
      detail: 'Copy settings.json into the settings page as JSON, or set them there.',
    })
  const choice =
    sources.length === 1
      ? first
      : await quickPick({
          title: 'Import settings from',
          items: sources.map(({ id, title, folder }) => ({ id, label: title, description: folder })),
        })
  const source = sources.find(({ id }) => id === choice?.id)
  if (!source) return
  const plan = await request('editorImport.plan', { source: source.id })
  const total = plan.settings.length + plan.keybindings.length + plan.snippets.length
  const answer = await confirm({
    title: `Import from ${source.title}?`,
    message:
      total === 0
        ? 'Nothing can be imported that is not here already.'
        : `${countsOf(plan)}. Your own shortcuts and snippet files stay. Settings of the same name are replaced.`,
    items: linesOf(plan),
    choices: total === 0 ? [] : [{ id: 'import', label: 'Import', variant: 'primary' }],
  })
  if (answer === null) return
  const done = await request('editorImport.run', { source: source.id })
  const text = reportText(source.title, done)
  if (currentWorkspace() === null)
    return notify('info', `Imported from ${source.title}: ${countsOf(done)}.`, { detail: text })
  await openText(text, 'markdown')
}
