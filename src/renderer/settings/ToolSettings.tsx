import { plural } from '../../shared/text/plural.ts'
import { useEffect, useId, useMemo, useState } from 'react'
import { toolsetNames, type ToolsetName } from '../../shared/tools/risk.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { ToolInfo } from '../../shared/tools/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { disabledTexts, riskText, toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, Spinner, TextField } from '../ui/index.ts'
import type { SettingEditorProps } from './settingValues.ts'
import { saveSetting } from './saveSetting.ts'

type Lists = Readonly<Record<ToolsetName, readonly ToolInfo[]>>

/** Lists each toolset's tools, with their risk and a switch. */
export function ToolSettings({ settings }: Pick<SettingEditorProps, 'settings'>) {
  const lists = useToolLists(settings.web.enabled)
  const [query, setQuery] = useState('')
  if (!lists) return <Spinner label="Loading the tools" />
  const total = toolsetNames.reduce((sum, name) => sum + lists[name].length, 0)
  const found = toolsetNames
    .map((name) => ({ name, tools: matching(lists[name], query) }))
    .filter(({ tools }) => tools.length > 0)
  return (
    <div className="tool-settings">
      <TextField
        label="Search tools"
        hideLabel
        type="search"
        placeholder={`Search ${plural(total, 'tool')} by name or description`}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      {found.map(({ name, tools }) => (
        <ToolGroup
          // The key remounts the groups when a search starts or ends, so that a search expands all of them.
          key={`${name} ${query === ''}`}
          toolset={name}
          all={lists[name]}
          tools={tools}
          disabled={settings.disabledTools[name] ?? []}
          startsOpen={query !== '' || name === settings.toolset}
          onChange={(disabled) => saveDisabled(settings, name, disabled)}
        />
      ))}
      {found.length === 0 && <p className="settings-text">No tools match.</p>}
    </div>
  )
}

function saveDisabled({ disabledTools }: Settings, toolset: ToolsetName, disabled: readonly string[]): void {
  saveSetting({ disabledTools: { ...disabledTools, [toolset]: [...disabled] } })
}

/**
 * Returns the tools of all toolsets; null while loading. Loads again when web access is switched, because tools depend
 * on it.
 */
function useToolLists(web: boolean): Lists | null {
  const [lists, setLists] = useState<Lists | null>(null)
  useEffect(() => {
    let current = true
    attempt(async () => {
      const entries = await Promise.all(
        toolsetNames.map(
          async (toolset) =>
            [toolset, (await request('tools.list', { toolset })).filter(({ server }) => server === undefined)] as const,
        ),
      )
      // `entries` has one entry for each toolset name.
      if (current) setLists(Object.fromEntries(entries) as unknown as Lists)
    }, 'The tools could not be listed')
    return () => {
      current = false
    }
  }, [web])
  return lists
}

function matching(tools: readonly ToolInfo[], query: string): readonly ToolInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return tools.filter((tool) => {
    const text = [tool.name, tool.title, tool.description, riskText(tool).label, ...tool.aliases]
      .join(' ')
      .toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

interface ToolGroupProps {
  toolset: ToolsetName
  all: readonly ToolInfo[]
  /** Tools that match the search. */
  tools: readonly ToolInfo[]
  disabled: readonly string[]
  startsOpen: boolean
  onChange: (disabled: readonly string[]) => void
}

/** Returns why a tool is off that its switch cannot turn on. */
const offText = ({ off }: ToolInfo): string | undefined =>
  off === undefined || off === 'settings' ? undefined : disabledTexts[off]

function ToolGroup({ toolset, all, tools, disabled, startsOpen, onChange }: ToolGroupProps) {
  const [open, setOpen] = useState(startsOpen)
  const id = useId()
  const names = useMemo(() => new Set(disabled), [disabled])
  const off = all.filter((tool) => names.has(tool.name) || offText(tool) !== undefined).length
  return (
    <section className="tool-group" aria-label={`Tools of ${toolsetLabels[toolset]}`}>
      <header className="tool-group-header">
        <button
          type="button"
          className="tool-group-toggle"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevron-down' : 'chevron-right'} />
          <span className="tool-group-title">{toolsetLabels[toolset]}</span>
          <code>{toolset}</code>
          <span className="tool-group-count">
            {plural(all.length, 'tool')}
            {off > 0 && <b>{`, ${off} off`}</b>}
          </span>
        </button>
        {disabled.length > 0 && (
          <Button size="small" variant="ghost" onClick={() => onChange([])}>
            Enable all
          </Button>
        )}
      </header>
      {open && (
        <ul id={id}>
          {tools.map((tool) => (
            <ToolRow
              key={tool.name}
              tool={tool}
              on={!names.has(tool.name)}
              onChange={(on) => onChange(on ? disabled.filter((name) => name !== tool.name) : [...disabled, tool.name])}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

function ToolRow({ tool, on, onChange }: { tool: ToolInfo; on: boolean; onChange: (on: boolean) => void }) {
  const { label, tone } = riskText(tool)
  const why = offText(tool)
  return (
    <li>
      <label className={`tool-row ${on && !why ? '' : 'tool-row-off'}`} title={tool.description}>
        <input
          type="checkbox"
          role="switch"
          aria-label={tool.name}
          checked={on && !why}
          disabled={why !== undefined}
          onChange={(event) => onChange(event.target.checked)}
        />
        <code className="tool-row-name">{tool.name}</code>
        <span className="tool-row-title">{why ?? tool.title}</span>
        <span className={`tool-risk tool-risk-${tone}`}>{label}</span>
      </label>
    </li>
  )
}
