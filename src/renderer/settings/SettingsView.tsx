import { useEffect, useRef, useState, type ReactNode } from 'react'
import { settingGroups, type SettingGroup } from '../../shared/settings/table/settingGroups.ts'
import type { SettingRow } from '../../shared/settings/settingsTable.ts'
import { useApp, useSettings } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { folderSettingsPath, useEditorSettings } from '../platform/editor/editorSettings.ts'
import { takePageFocus } from '../platform/layout/pages.tsx'
import { Button, Spinner, TextField, ToggleButton } from '../ui/index.ts'
import { Hooks } from './Hooks.tsx'
import { LanguageServers } from './LanguageServers.tsx'
import { matchingRows, SettingFields } from './SettingFields.tsx'
import { isFolderSetting, SettingScopeProvider, type SettingScope } from './settingScope.ts'
import { useShownSection } from './shownSection.ts'
import { StoredData } from './StoredData.tsx'
import './settings.css'
import type { CompletionFigures } from '../../shared/editor/inlineCompletion.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'

// The keys of settingGroups are SettingGroups.
const groups = Object.keys(settingGroups) as SettingGroup[]

/** The settings page. Saves each change immediately. */
export function SettingsView() {
  const settings = useSettings()
  const [query, setQuery] = useState('')
  const [chosenScope, setScope] = useState<SettingScope>('user')
  const workspace = useApp((store) => store.state?.workspace ?? null)
  const editor = useEditorSettings()
  if (!settings) {
    return (
      <div className="settings-loading">
        <Spinner label="Loading settings" />
      </div>
    )
  }
  const scope = workspace === null ? 'user' : chosenScope
  const shows = (row: SettingRow) => scope === 'user' || isFolderSetting(row)
  /** Whether the query is empty or matches a group's title or description, so that all of the group is shown. */
  const showsWhole = (group: SettingGroup): boolean =>
    settingGroups[group].title.toLowerCase().includes(query.trim().toLowerCase())
  const shown = groups.filter(
    (group) => matchingRows(group, query).some(shows) || (group === 'hooks' && scope === 'user' && showsWhole(group)),
  )
  const restricted = scope === 'folder' && workspace?.restricted !== undefined
  return (
    <div className="settings" role="region" aria-label="Settings">
      <div className="settings-page">
        <div className="settings-top">
          <h1 className="ui-page-title">Settings</h1>
          <Button
            size="small"
            icon="json"
            onClick={() => void runCommand(scope === 'user' ? 'settings.openJson' : 'settings.openFolder')}
          >
            Open as JSON
          </Button>
        </div>
        {workspace && (
          <div className="settings-scopes" role="group" aria-label="Settings scope">
            <ToggleButton icon="account" pressed={scope === 'user'} onClick={() => setScope('user')}>
              User
            </ToggleButton>
            <ToggleButton icon="folder" pressed={scope === 'folder'} onClick={() => setScope('folder')}>
              {`Folder: ${workspace.name}`}
            </ToggleButton>
          </div>
        )}
        {scope === 'folder' && (
          <p className="settings-text">
            {`Stored in ${folderSettingsPath}. They override your own settings in this folder, and can only change how files are edited.`}
          </p>
        )}
        {restricted && (
          <div className="settings-restricted" role="status">
            <span>This folder is restricted. Its settings are not used until you trust it.</span>
            <Button size="small" onClick={() => void runCommand('trust.manage')}>
              Manage folder trust
            </Button>
          </div>
        )}
        <TextField
          ref={takePageFocus}
          data-autofocus
          label="Search settings"
          hideLabel
          type="search"
          placeholder="Search settings"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {shown.length === 0 && <p className="settings-text">{`No setting matches "${query}".`}</p>}
        <SettingScopeProvider value={scope}>
          {(restricted ? [] : shown).map((group) => (
            <Section key={group} group={group} {...settingGroups[group]}>
              {group === 'commands' && <SandboxNote />}
              <SettingFields
                key={scope}
                group={group}
                settings={scope === 'folder' && editor ? { ...settings, editor } : settings}
                query={query}
                shows={shows}
              />
              {group === 'completion' && showsWhole(group) && <CompletionFiguresTable />}
              {group === 'hooks' && <Hooks />}
              {group === 'languages' && showsWhole(group) && <LanguageServers />}
              {group === 'history' && showsWhole(group) && <StoredData history={settings.history} />}
            </Section>
          ))}
        </SettingScopeProvider>
        <p className="settings-privacy">
          Settings and conversations stay on this computer. Tizona sends data only to the endpoints and MCP servers
          above, and to the web through tools that you allow.
        </p>
      </div>
    </div>
  )
}

interface SectionProps {
  group: SettingGroup
  title: string
  description: string
  children: ReactNode
}

function Section({ group, title, description, children }: SectionProps) {
  const section = useRef<HTMLElement>(null)
  const requested = useShownSection((state) => state.group === group)
  useEffect(() => {
    if (!requested) return
    section.current?.scrollIntoView()
    section.current?.focus()
    useShownSection.setState({ group: null })
  }, [requested])
  return (
    <section ref={section} tabIndex={-1} className="settings-section" aria-label={title}>
      <h2 className="ui-page-section-title">{title}</h2>
      {description && <p className="settings-text">{description}</p>}
      {children}
    </section>
  )
}

/** Whether commands can run in a sandbox on this machine, and what to do if not. */
function SandboxNote() {
  const state = useApp((store) => store.state?.sandbox)
  if (state?.kind === 'available')
    return <p className="settings-text">{`The sandbox is available on this computer (${state.program}).`}</p>
  if (state?.kind !== 'unavailable') return null
  return (
    <p className="settings-text" role="status">
      {`The sandbox is not available: ${state.reason}. ${state.hint}`}
    </p>
  )
}

/** How many suggestions were shown, accepted and kept. These numbers stay on this computer. */
function CompletionFiguresTable() {
  const [figures, setFigures] = useState<CompletionFigures | null>(null)
  const load = async () => setFigures(await request('completion.figures', {}))
  useEffect(() => attempt(load, 'The inline completion statistics could not be loaded'), [])
  if (figures === null || figures.since === 0) return null
  const { since, keys, fromCache, requests, cancelled, shown, accepted } = figures
  const { acceptedCharacters, checkedCharacters, keptCharacters } = figures
  const rows = [
    { label: 'Suggestions shown', text: formatNumber(shown) },
    { label: 'Accepted', text: `${formatNumber(accepted)} (${share(accepted, shown)})` },
    { label: 'Accepted characters', text: formatNumber(acceptedCharacters) },
    { label: 'Unchanged after a minute', text: share(keptCharacters, checkedCharacters) },
    { label: 'Keystrokes answered from the cache', text: share(fromCache, keys) },
    { label: 'Requests to the server', text: `${formatNumber(requests)} (${formatNumber(cancelled)} cancelled)` },
  ]
  return (
    <>
      <table className="settings-sizes" aria-label="Inline completion statistics">
        <tbody>
          {rows.map(({ label, text }) => (
            <tr key={label}>
              <th scope="row">{label}</th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="endpoints-actions">
        <Button
          onClick={() =>
            attempt(
              async () => setFigures(await request('completion.resetFigures', {})),
              'The statistics could not be reset',
            )
          }
        >
          Reset statistics
        </Button>
        <span className="settings-text">
          {`Counted on this computer since ${new Date(since).toLocaleDateString()}. The statistics are not sent anywhere.`}
        </span>
      </div>
    </>
  )
}

/** Formats a share, for example "42%"; "–" if the whole is 0. */
function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)}%`
}
