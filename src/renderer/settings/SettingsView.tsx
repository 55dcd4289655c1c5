import { useEffect, useState, type ReactNode } from 'react'
import { profileChoices } from '../../shared/promptProfile.ts'
import { modes, toolsetNames, type ToolsetName } from '../../shared/risk.ts'
import type { Settings } from '../../shared/settings.ts'
import { request } from '../platform/bridge/bridge.ts'
import { modeTexts } from '../../shared/modeTexts.ts'
import { profileTexts } from '../../shared/profileTexts.ts'
import { useSettings } from '../platform/appState.ts'
import { attempt } from '../platform/notices.ts'
import { Select, Spinner, TextArea } from '../ui/index.ts'
import { Check } from './Check.tsx'
import { Endpoints } from './Endpoints.tsx'
import { McpServers } from './mcp/McpServers.tsx'
import { HistorySettingsFields } from './HistorySettings.tsx'
import { NumberField } from './NumberField.tsx'
import { saveSetting } from './saveSetting.ts'
import { SmallModel } from './SmallModel.tsx'
import { ToolSettings } from './ToolSettings.tsx'
import { WebFields } from './WebSettings.tsx'
import './settings.css'

/** Everything the user can set. Each change is saved as it is made. */
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
        <Section
          title="Models"
          text="Servers on this machine are found automatically. Add others here, and those that need a key."
        >
          <Endpoints />
        </Section>
        <Section
          title="Agent"
          text="For new conversations. Mode and model of the shown one are chosen below the message."
        >
          <AgentSettings settings={settings} />
        </Section>
        <Section
          title="Web"
          text="Some tools fetch pages or search. Each call needs your approval, unless the mode allows it."
        >
          <WebFields web={settings.web} />
        </Section>
        <Section
          title="MCP servers"
          text="Their tools are offered beside the toolset's own, and need your approval like any other."
        >
          <McpServers />
        </Section>
        <Section
          title="Tools"
          text="A tool that is off is not offered to a model, and not run, whoever calls it: chat, console, command line, MCP client."
        >
          <ToolSettings settings={settings} />
        </Section>
        <Section title="Appearance and editor">
          <EditorSettings settings={settings} />
        </Section>
        <Section
          title="Stored data"
          text="Everything is kept until you delete it, unless you set a limit. Pinned conversations and unsaved text always stay."
        >
          <HistorySettingsFields history={settings.history} />
        </Section>
        <p className="settings-privacy">
          Settings and conversations stay on this machine. Nothing is sent anywhere but to the endpoints and MCP servers
          above and, by tools that you allow, to the web.
        </p>
      </div>
    </div>
  )
}

function Section({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  return (
    <section className="settings-section" aria-label={title}>
      <h2>{title}</h2>
      {text && <p className="settings-text">{text}</p>}
      {children}
    </section>
  )
}

/** The toolsets that have no tools: a model would be offered none. Empty until main has answered. */
function useEmptyToolsets(): readonly ToolsetName[] {
  const [empty, setEmpty] = useState<readonly ToolsetName[]>([])
  useEffect(() => {
    attempt(async () => {
      const sizes = await Promise.all(
        toolsetNames.map(async (name) => ({ name, size: (await request('tools.list', { toolset: name })).length })),
      )
      setEmpty(sizes.filter(({ size }) => size === 0).map(({ name }) => name))
    })
  }, [])
  return empty
}

/** Stands among the toolsets' names in the list. */
const suggested = 'suggested'

function AgentSettings({ settings }: { settings: Settings }) {
  const empty = useEmptyToolsets()
  return (
    <div className="settings-grid">
      <Select
        label="Mode"
        hint={modeTexts[settings.mode].asks}
        value={settings.mode}
        options={modes.map((mode) => ({ value: mode, label: modeTexts[mode].label }))}
        onChange={(event) => {
          const mode = modes.find((each) => each === event.target.value)
          if (mode) saveSetting({ mode })
        }}
      />
      <Select
        label="Toolset"
        hint={
          settings.suggestToolset
            ? `Known model families get the toolset they were trained on, others ${settings.toolset}.`
            : 'The tools that the model is offered.'
        }
        value={settings.suggestToolset ? suggested : settings.toolset}
        options={[
          { value: suggested, label: "Suggested by the model's name" },
          ...toolsetNames.map((name) => {
            const none = empty.includes(name)
            return { value: name, label: none ? `${name} (no tools yet)` : name, disabled: none }
          }),
        ]}
        onChange={(event) => {
          const toolset = toolsetNames.find((each) => each === event.target.value)
          saveSetting(toolset ? { toolset, suggestToolset: false } : { suggestToolset: true })
        }}
      />
      <NumberField
        label="Temperature"
        hint="0 is the most predictable; 0 to 2."
        value={settings.temperature}
        min={0}
        max={2}
        step={0.1}
        onSave={(temperature) => saveSetting({ temperature })}
      />
      <Select
        label="Prompt profile"
        hint={profileTexts[settings.profile].detail}
        value={settings.profile}
        options={profileChoices.map((choice) => ({ value: choice, label: profileTexts[choice].label }))}
        onChange={(event) => {
          const profile = profileChoices.find((each) => each === event.target.value)
          if (profile) saveSetting({ profile })
        }}
      />
      <NumberField
        label="Summarise at"
        hint="Percent of the model's window; 30 to 95."
        value={Math.round(settings.compactAt * 100)}
        min={30}
        max={95}
        step={1}
        onSave={(percent) => saveSetting({ compactAt: percent / 100 })}
      />
      <NumberField
        label="Model requests in one turn"
        hint="After these the turn stops and offers to continue."
        value={settings.maxTurns}
        min={1}
        max={500}
        step={1}
        onSave={(maxTurns) => saveSetting({ maxTurns })}
      />
      <SmallModel settings={settings} onSave={saveSetting} />
      <SystemPrompt value={settings.systemPrompt} />
    </div>
  )
}

function SystemPrompt({ value }: { value: string }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <div className="settings-wide">
      <TextArea
        label="System prompt"
        hint="Added below Tizona's own instructions, e.g. your conventions."
        value={text}
        rows={4}
        maxLength={100_000}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => {
          if (text !== value) saveSetting({ systemPrompt: text })
        }}
      />
    </div>
  )
}

function EditorSettings({ settings }: { settings: Settings }) {
  const { editor } = settings
  const themes = { dark: 'Dark', light: 'Light', system: 'As the system' } as const
  return (
    <div className="settings-grid">
      <Select
        label="Theme"
        value={settings.theme}
        options={Object.entries(themes).map(([value, label]) => ({ value, label }))}
        onChange={(event) => {
          const { value } = event.target
          if (value === 'dark' || value === 'light' || value === 'system') saveSetting({ theme: value })
        }}
      />
      <NumberField
        label="Font size"
        hint="Pixels."
        value={editor.fontSize}
        min={8}
        max={40}
        step={1}
        onSave={(fontSize) => saveSetting({ editor: { ...editor, fontSize } })}
      />
      <NumberField
        label="Tab size"
        hint="Columns."
        value={editor.tabSize}
        min={1}
        max={16}
        step={1}
        onSave={(tabSize) => saveSetting({ editor: { ...editor, tabSize } })}
      />
      <div className="settings-checks">
        <Check
          label="Wrap long lines"
          checked={editor.wordWrap}
          onChange={(wordWrap) => saveSetting({ editor: { ...editor, wordWrap } })}
        />
        <Check
          label="Show the minimap"
          checked={editor.minimap}
          onChange={(minimap) => saveSetting({ editor: { ...editor, minimap } })}
        />
      </div>
    </div>
  )
}
