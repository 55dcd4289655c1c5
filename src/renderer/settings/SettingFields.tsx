import { useEffect, useState, type ComponentType, type ReactNode } from 'react'
import type { Settings } from '../../shared/settings/settings.ts'
import { settingGroups, type SettingGroup } from '../../shared/settings/table/settingGroups.ts'
import { settingRows, type SettingRow } from '../../shared/settings/settingsTable.ts'
import type { ChoiceSetting, SettingEditor, TextSetting } from '../../shared/settings/table/settingDeclaration.ts'
import { IconButton, Select, TextArea, TextField } from '../ui/index.ts'
import { Agents } from './agents/Agents.tsx'
import { ApprovalNotifications } from './approval/ApprovalNotifications.tsx'
import { ApprovalRules } from './approval/ApprovalRules.tsx'
import { CheckField } from './CheckField.tsx'
import { RulersField } from './RulersField.tsx'
import { CompletionModel, NextEditModel } from './CompletionModel.tsx'
import { Endpoints } from './Endpoints.tsx'
import { McpServers } from './mcp/McpServers.tsx'
import { useSettingScope } from './settingScope.ts'
import { valueOf, type SettingEditorProps } from './settingValues.ts'
import { ThemeField } from './ThemeField.tsx'
import { ToolSettings } from './ToolSettings.tsx'
import { BraveKey, LocalOrigins, SearxngUrl } from './WebSettings.tsx'
import { ModelSelect } from './ModelSelect.tsx'
import { saveSetting } from './saveSetting.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { toolsetNames, type ToolsetName } from '../../shared/tools/risk.ts'
import { toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'

const editors: Readonly<Record<Exclude<SettingEditor, 'none'>, ComponentType<SettingEditorProps>>> = {
  endpoints: Endpoints,
  toolset: ToolsetField,
  smallModel: SmallModel,
  subAgentModel: SubAgentModel,
  embeddingModel: EmbeddingModel,
  completionModel: CompletionModel,
  nextEditModel: NextEditModel,
  searxngUrl: SearxngUrl,
  braveKey: BraveKey,
  localOrigins: LocalOrigins,
  mcpServers: McpServers,
  agents: Agents,
  disabledTools: ToolSettings,
  approvalRules: ApprovalRules,
  approvalNotifications: ApprovalNotifications,
  rulers: RulersField,
  theme: ThemeField,
}

/** Groups with a single editor that has its own layout. */
const ownLayout: ReadonlySet<SettingGroup> = new Set(['models', 'mcp', 'agents', 'tools'])

/** Pure: a group's settings with a control whose texts contain all words of a query. */
export function matchingRows(group: SettingGroup, query: string): SettingRow[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return settingRows.filter(({ path, declaration }) => {
    if (declaration.group !== group || declaration.editor === 'none') return false
    const { title, description } = settingGroups[group]
    const choices = declaration.type === 'choice' ? Object.values(declaration.texts).map(({ label }) => label) : []
    const texts = [path, declaration.title, declaration.description, title, description, ...choices]
    const text = texts.join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

/** The controls of a group's settings, in the order of the settings table. */
export function SettingFields({
  group,
  settings,
  query = '',
  shows = () => true,
}: {
  group: SettingGroup
  settings: Settings
  query?: string
  /** Filters the settings to show. */
  shows?: (row: SettingRow) => boolean
}) {
  const rows = matchingRows(group, query).filter(shows)
  const fields = adjacentChecks(rows).map((run) => <FieldRun key={run[0]?.path} rows={run} settings={settings} />)
  return ownLayout.has(group) ? fields : <div className="settings-grid">{fields}</div>
}

/** Maximum number of checkboxes stacked beside a field. More get their own columns. */
const maxStackedChecks = 3

const isCheck = ({ declaration }: SettingRow) => declaration.type === 'boolean' && declaration.editor === undefined

/** Pure: groups consecutive checkboxes. Every other row is a group by itself. */
function adjacentChecks(rows: readonly SettingRow[]): SettingRow[][] {
  const runs: SettingRow[][] = []
  for (const row of rows) {
    const last = runs.at(-1)
    if (isCheck(row) && last?.every(isCheck)) last.push(row)
    else runs.push([row])
  }
  return runs
}

function FieldRun({ rows, settings }: { rows: readonly SettingRow[]; settings: Settings }): ReactNode {
  const wide = rows.some(({ declaration }) => declaration.wide)
  const fields = rows.map((row) => <Field key={row.path} row={row} settings={settings} />)
  if (rows.every(isCheck)) {
    const columns = rows.length > maxStackedChecks
    return (
      <div
        className={`settings-checks ${wide || columns ? 'settings-wide' : ''} ${columns ? 'settings-checks-columns' : ''}`}
      >
        {fields}
      </div>
    )
  }
  return wide ? <div className="settings-wide">{fields}</div> : fields
}

/** The control of a setting, with a mark if its value overrides another one. */
function Field({ row, settings }: { row: SettingRow; settings: Settings }) {
  const { save, mark } = useSettingScope(settings, row)
  if (row.declaration.editor === 'none') return null
  return (
    <div className="settings-field" data-marked={mark !== null}>
      <Control row={row} settings={settings} save={save} />
      {mark && (
        <span className="settings-mark">
          {mark.text}
          {mark.reset && (
            <IconButton icon="discard" label={`Reset ${row.declaration.title}`} onClick={() => mark.reset?.()} />
          )}
        </span>
      )}
    </div>
  )
}

function Control({ row, settings, save }: SettingEditorProps) {
  const { declaration } = row
  const { title, description, editor } = declaration
  if (editor === 'none') return null
  if (editor) {
    const Editor = editors[editor]
    return <Editor settings={settings} row={row} save={save} />
  }
  const value = valueOf(settings, row)
  switch (declaration.type) {
    case 'boolean':
      return <CheckField label={title} checked={value === true} onChange={save} />
    case 'choice':
      return <ChoiceField declaration={declaration} value={String(value)} onSave={save} />
    case 'number': {
      // The user enters fractions as percentages.
      const scale = declaration.percent ? 100 : 1
      return (
        <NumberField
          label={title}
          hint={description}
          value={typeof value === 'number' ? (declaration.percent ? Math.round(value * scale) : value) : null}
          min={declaration.min * scale}
          max={declaration.max * scale}
          step={declaration.percent ? 1 : declaration.step}
          placeholder={declaration.placeholder}
          required={!declaration.nullable}
          onSave={(number) => save(number === null ? null : number / scale)}
        />
      )
    }
    case 'text':
      return <TextSettingField declaration={declaration} value={String(value)} onSave={save} />
  }
}

interface ChoiceFieldProps {
  declaration: ChoiceSetting
  value: string
  onSave: (value: string) => void
}

function ChoiceField({ declaration: { title, description, options, texts }, value, onSave }: ChoiceFieldProps) {
  return (
    <Select
      label={title}
      hint={texts[value]?.detail ?? description}
      value={value}
      options={options.map((option) => ({ value: option, label: texts[option]?.label ?? option }))}
      onChange={(event) => onSave(event.target.value)}
    />
  )
}

interface TextSettingFieldProps {
  declaration: TextSetting
  value: string
  onSave: (value: string) => void
}

/** Text field. Saves on blur. */
function TextSettingField({ declaration, value, onSave }: TextSettingFieldProps) {
  const { title, description, maxLength, singleLine } = declaration
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const field = {
    label: title,
    hint: description,
    value: text,
    maxLength,
    onChange: (event: { target: { value: string } }) => setText(event.target.value),
    onBlur: () => {
      if (text !== value) onSave(text)
    },
  }
  return singleLine ? <TextField {...field} /> : <TextArea rows={4} {...field} />
}

function SmallModel({ settings: { smallModel }, row: { declaration } }: SettingEditorProps) {
  return (
    <ModelSelect
      label={declaration.title}
      hint={declaration.description}
      value={smallModel}
      onChange={(choice) => saveSetting({ smallModel: choice })}
    />
  )
}

function SubAgentModel({ settings: { subAgentModel }, row: { declaration } }: SettingEditorProps) {
  return (
    <ModelSelect
      label={declaration.title}
      hint={declaration.description}
      value={subAgentModel}
      onChange={(choice) => saveSetting({ subAgentModel: choice })}
    />
  )
}

function EmbeddingModel({ settings: { embeddings }, row: { declaration } }: SettingEditorProps) {
  return (
    <ModelSelect
      label={declaration.title}
      hint={declaration.description}
      value={embeddings}
      modelsOf={({ embeddingModels = [] }) => embeddingModels}
      onChange={(choice) => saveSetting({ embeddings: choice })}
    />
  )
}

interface NumberFieldProps {
  label: string
  hint?: string
  /** null if the field is empty. */
  value: number | null
  min: number
  max: number
  /** 1 allows whole numbers only. */
  step: number
  placeholder?: string | undefined
  /** Whether an empty field is an error. */
  required: boolean
  onSave: (value: number | null) => void
}

/** Number field. Saves on blur if the number is valid. */
function NumberField({ label, hint, value, min, max, step, placeholder, required, onSave }: NumberFieldProps) {
  const shown = value === null ? '' : String(value)
  const [text, setText] = useState(shown)
  useEffect(() => setText(shown), [shown])
  const isEmpty = text.trim() === ''
  const number = isEmpty ? null : Number(text)
  const isInRange = number !== null && number >= min && number <= max && (step !== 1 || Number.isInteger(number))
  const isValid = isInRange || (isEmpty && !required)
  return (
    <TextField
      label={label}
      hint={hint}
      error={
        isValid
          ? undefined
          : step === 1
            ? `Enter a whole number from ${min} to ${formatNumber(max)}.`
            : `Enter a number from ${min} to ${formatNumber(max)}.`
      }
      inputMode="decimal"
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        if (isValid && number !== value) onSave(number)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur()
      }}
    />
  )
}

/** Value of the option that turns on `suggestToolset`. */
const suggested = 'suggested'

/** Select that edits both `toolset` and `suggestToolset`. */
function ToolsetField({ settings, row: { declaration } }: SettingEditorProps) {
  const empty = useEmptyToolsets()
  return (
    <Select
      label={declaration.title}
      hint={
        settings.suggestToolset
          ? `Known model families get the toolset that they were trained on, other models ${toolsetLabels[settings.toolset]}.`
          : 'The tools that new conversations offer to the model.'
      }
      value={settings.suggestToolset ? suggested : settings.toolset}
      options={[
        { value: suggested, label: 'Suggested for the model' },
        ...toolsetNames.map((name) => {
          const isEmpty = empty.includes(name)
          const label = toolsetLabels[name]
          return { value: name, label: isEmpty ? `${label} (no tools yet)` : label, disabled: isEmpty }
        }),
      ]}
      onChange={(event) => {
        const toolset = toolsetNames.find((each) => each === event.target.value)
        saveSetting(toolset ? { toolset, suggestToolset: false } : { suggestToolset: true })
      }}
    />
  )
}

/** Names of toolsets without tools. Empty while loading. */
function useEmptyToolsets(): readonly ToolsetName[] {
  const [empty, setEmpty] = useState<readonly ToolsetName[]>([])
  useEffect(() => {
    attempt(async () => {
      const sizes = await Promise.all(
        toolsetNames.map(async (name) => ({ name, size: (await request('tools.list', { toolset: name })).length })),
      )
      setEmpty(sizes.filter(({ size }) => size === 0).map(({ name }) => name))
    }, 'The toolsets could not be listed')
  }, [])
  return empty
}
