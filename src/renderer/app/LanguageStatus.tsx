import type { LanguageServerState } from '../../shared/language/languageServers.ts'
import { plural, pluralNoun } from '../../shared/text/plural.ts'
import { useEditorStatus } from '../platform/editor/editorViews.ts'
import { useLanguages } from '../platform/languages/languageStore.ts'
import { useProblems } from '../platform/languages/problemsStore.ts'
import { serverStateLabels } from '../platform/languages/serverStates.ts'
import { Icon } from '../ui/index.ts'
import { StatusItem } from './StatusItem.tsx'

/** Number of errors and warnings in all files. */
export function ProblemsItem() {
  const { error, warning } = useProblems((state) => state.counts)
  return (
    <StatusItem
      command="problems.show"
      title={`${plural(error, 'error')}, ${plural(warning, 'warning')}. Show problems.`}
    >
      <Icon name="error" /> {error} <span className="visually-hidden">{pluralNoun(error, 'error')},</span>
      <Icon name="warning" /> {warning}{' '}
      <span className="visually-hidden">{`${pluralNoun(warning, 'warning')}. Show problems.`}</span>
    </StatusItem>
  )
}

const serverIcons: Readonly<Record<LanguageServerState, string>> = {
  off: 'debug-disconnect',
  missing: 'debug-disconnect',
  blocked: 'circle-slash',
  installing: 'loading',
  waiting: 'server-process',
  starting: 'loading',
  running: 'server-process',
  restarting: 'loading',
  failed: 'error',
}

/** State of the active file's language server. */
export function LanguageServerItem() {
  const language = useEditorStatus((state) => state.language)
  const servers = useLanguages((state) => state.servers)
  // The first server that runs for a language takes precedence.
  const serving = servers.filter(({ languages }) => language !== null && languages.includes(language))
  const server = serving.find(({ state }) => state !== 'off' && state !== 'missing') ?? serving[0]
  if (!server) return null
  const { title, state, detail } = server
  const icon = serverIcons[state]
  const inactive = state === 'off' || state === 'missing'
  return (
    <StatusItem
      command="settings.languageServers"
      label={`Language server ${title}: ${serverStateLabels[state]}. Show language servers.`}
      title={`${title}: ${serverStateLabels[state]}${detail === '' ? '' : `. ${detail}`}`}
      className={state === 'failed' || state === 'blocked' ? 'status-danger' : inactive ? 'status-muted' : ''}
    >
      <Icon name={icon} spin={icon === 'loading'} />
    </StatusItem>
  )
}
