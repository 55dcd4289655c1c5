import type { ReactNode } from 'react'
import { settingGroups, type SettingGroup } from '../../shared/settingsTable.ts'
import { useSettings } from '../platform/appState.ts'
import { Spinner } from '../ui/index.ts'
import { SandboxNote } from './SandboxNote.tsx'
import { SettingFields } from './SettingFields.tsx'
import { StoredData } from './StoredData.tsx'
import './settings.css'

// The keys of settingGroups are SettingGroups.
const groups = Object.keys(settingGroups) as SettingGroup[]

/** The settings page. Saves each change immediately. */
export function SettingsView() {
  const settings = useSettings()
  if (!settings) {
    return (
      <div className="settings-loading">
        <Spinner label="Loading settings" />
      </div>
    )
  }
  return (
    <div className="settings" role="region" aria-label="Settings">
      <div className="settings-page">
        <h1>Settings</h1>
        {groups.map((group) => (
          <Section key={group} {...settingGroups[group]}>
            {group === 'commands' && <SandboxNote />}
            <SettingFields group={group} settings={settings} />
            {group === 'history' && <StoredData history={settings.history} />}
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
  title: string
  description: string
  children: ReactNode
}

function Section({ title, description, children }: SectionProps) {
  return (
    <section className="settings-section" aria-label={title}>
      <h2>{title}</h2>
      {description && <p className="settings-text">{description}</p>}
      {children}
    </section>
  )
}
