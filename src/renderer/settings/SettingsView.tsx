import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { settingGroups, type SettingGroup } from '../../shared/settingsTable.ts'
import { useSettings } from '../platform/appState.ts'
import { openPage } from '../platform/editor/tabsStore.ts'
import { useFolderSettings } from '../platform/editorSettings.ts'
import { Button, Spinner, TextField } from '../ui/index.ts'
import { CompletionFiguresTable } from './CompletionFiguresTable.tsx'
import { LanguageServers } from './LanguageServers.tsx'
import { SandboxNote } from './SandboxNote.tsx'
import { matchingRows, SettingFields } from './SettingFields.tsx'
import { useShownSection } from './shownSection.ts'
import { StoredData } from './StoredData.tsx'
import './settings.css'

// The keys of settingGroups are SettingGroups.
const groups = Object.keys(settingGroups) as SettingGroup[]

/** The settings page. Saves each change immediately. */
export function SettingsView() {
  const settings = useSettings()
  const [query, setQuery] = useState('')
  const overridden = useFolderSettings(useShallow((state) => Object.keys(state.editor)))
  if (!settings) {
    return (
      <div className="settings-loading">
        <Spinner label="Loading settings" />
      </div>
    )
  }
  const shown = groups.filter((group) => matchingRows(group, query).length > 0)
  return (
    <div className="settings" role="region" aria-label="Settings">
      <div className="settings-page">
        <div className="settings-top">
          <h1>Settings</h1>
          <Button size="small" icon="json" onClick={() => openPage('settingsJson')}>
            Open as JSON
          </Button>
        </div>
        <TextField
          label="Search settings"
          hideLabel
          type="search"
          placeholder="Search settings"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        {shown.length === 0 && <p className="settings-text">No setting matches “{query}”.</p>}
        {shown.map((group) => (
          <Section key={group} group={group} {...settingGroups[group]}>
            {group === 'commands' && <SandboxNote />}
            {group === 'editor' && overridden.length > 0 && (
              <p className="settings-text">This folder has its own {overridden.join(', ')}.</p>
            )}
            <SettingFields group={group} settings={settings} query={query} />
            {group === 'completion' && query === '' && <CompletionFiguresTable />}
            {group === 'languages' && query === '' && <LanguageServers />}
            {group === 'history' && query === '' && <StoredData history={settings.history} />}
          </Section>
        ))}
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
      <h2>{title}</h2>
      {description && <p className="settings-text">{description}</p>}
      {children}
    </section>
  )
}
