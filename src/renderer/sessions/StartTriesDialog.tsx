import { useRef, useState } from 'react'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import { toFailure } from '../../shared/errors.ts'
import { maxTries } from '../../shared/agent/maxTries.ts'
import { modelDisplayName } from '../../shared/models/modelName.ts'
import type { EndpointStatus } from '../../shared/settings/settings.ts'
import { plural, pluralNoun } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { modeTexts } from '../../shared/tools/modeTexts.ts'
import { toolsetNames, type ToolsetName } from '../../shared/tools/risk.ts'
import { toolsetLabels } from '../../shared/tools/toolsetTexts.ts'
import type { WorkspaceInfo } from '../../shared/bridge/appState.ts'
import { displayPath, useWorkspace } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { activePath } from '../platform/editor/tabsStore.ts'
import { isUsable, useEndpoints } from '../platform/models/endpointsStore.ts'
import { showTries, useTaskTries, type TaskDraft } from '../platform/sessions/taskTries.ts'
import { Button, Dialog, IconButton, Select, TextArea, TextField, type SelectOption } from '../ui/index.ts'
import { askForSetUp, reportSkipped } from './worktreeActions.ts'
import './tries.css'

/** A row of the form. Empty texts: as in the conversation. */
interface TryRow {
  key: number
  /** JSON of a `ModelChoice`. */
  model: string
  temperature: string
  toolset: string
}

const firstCount = 3
const newRow = (key: number): TryRow => ({ key, model: '', temperature: '', toolset: '' })
const close = () => useTaskTries.setState({ draft: null })

/** Dialog that gives one prompt to several sessions in worktrees. */
export function StartTriesDialog() {
  const draft = useTaskTries((state) => state.draft)
  return draft && <OpenDialog draft={draft} />
}

function OpenDialog({ draft }: { draft: TaskDraft }) {
  const [prompt, setPrompt] = useState(draft.prompt)
  const [rows, setRows] = useState(() => Array.from({ length: firstCount }, (_, index) => newRow(index)))
  const [test, setTest] = useState('')
  const workspace = useWorkspace()
  const folders = workspace?.multiRoot?.folders ?? []
  const [chosen, setChosen] = useState(() => activeFolder(workspace))
  const [failure, setFailure] = useState('')
  const [starting, setStarting] = useState(false)
  const isValid = prompt.trim() !== '' && rows.every(({ temperature }) => temperatureProblem(temperature) === '')

  async function start(): Promise<void> {
    setFailure('')
    setStarting(true)
    try {
      const folder = folders.length > 1 ? { folder: chosen } : {}
      if (!(await askForSetUp(folder))) return
      const { task, skipped } = await request('sessions.startTries', {
        ...folder,
        prompt,
        ...(draft.pictures.length > 0 && {
          images: draft.pictures.map(({ id, label, fromPage }) => ({ id, label, ...(fromPage && { fromPage }) })),
        }),
        mode: draft.mode,
        tries: rows.map((row) => optionsOf(row, draft)),
        ...(test.trim() !== '' && { test }),
      })
      reportSkipped(skipped)
      draft.onStarted()
      close()
      showTries(task)
    } catch (error) {
      const { message, next } = toFailure(error)
      setFailure(`${message} ${next}`.trim())
    } finally {
      setStarting(false)
    }
  }

  return (
    <Dialog
      title="Try a task several times"
      width={760}
      onClose={() => !starting && close()}
      footer={
        <>
          <Button onClick={close} disabled={starting}>
            Cancel
          </Button>
          <Button variant="primary" disabled={!isValid || starting} onClick={() => void start()}>
            {starting ? 'Creating worktrees…' : `Start ${plural(rows.length, 'try', 'tries')}`}
          </Button>
        </>
      }
    >
      <div className="tries-form">
        {failure !== '' && (
          <p className="tries-failure" role="alert">
            {visibleText(failure)}
          </p>
        )}
        <TextArea
          label="Task"
          rows={4}
          value={prompt}
          data-autofocus
          hint={attachmentsHint(draft)}
          onChange={(event) => setPrompt(event.target.value)}
        />
        {folders.length > 1 && (
          <Select
            label="Folder"
            value={chosen}
            options={folders.map(({ name, path }) => ({ value: name, label: `${name} · ${displayPath(path)}` }))}
            onChange={(event) => setChosen(event.target.value)}
          />
        )}
        <TryRows rows={rows} draft={draft} onChange={setRows} />
        <TextField
          label="Test command (optional)"
          className="tries-command"
          value={test}
          maxLength={2000}
          autoComplete="off"
          placeholder="npm test"
          hint="Runs in the sandbox in each worktree after its turn. Exit code 0 means that it passed."
          onChange={(event) => setTest(event.target.value)}
        />
        <p className="tries-note">
          {`Each try begins at the last commit, in a worktree on a branch of its own, in the mode ${modeTexts[draft.mode].label}. Calls that need your approval wait in the Sessions view.`}
        </p>
      </div>
    </Dialog>
  )
}

/** Returns the folder of the active tab, otherwise the first one. */
function activeFolder(workspace: WorkspaceInfo | null): string {
  const folders = workspace?.multiRoot?.folders ?? []
  const path = activePath() ?? ''
  return (folders.find(({ name }) => path.startsWith(`${name}/`)) ?? folders[0])?.name ?? ''
}

interface TryRowsProps {
  rows: readonly TryRow[]
  draft: TaskDraft
  onChange: (rows: TryRow[]) => void
}

function TryRows({ rows, draft, onChange }: TryRowsProps) {
  const nextKey = useRef(firstCount)
  return (
    <>
      <ol className="tries-rows">
        {rows.map((row, index) => (
          <TryFields
            key={row.key}
            row={row}
            number={index + 1}
            draft={draft}
            onChange={(changed) => onChange(rows.map((each) => (each === row ? { ...each, ...changed } : each)))}
            {...(rows.length > 1 && { onRemove: () => onChange(rows.filter((each) => each !== row)) })}
          />
        ))}
      </ol>
      <Button
        icon="add"
        size="small"
        className="tries-add"
        disabled={rows.length >= maxTries}
        onClick={() => onChange([...rows, { ...(rows.at(-1) ?? newRow(0)), key: nextKey.current++ }])}
      >
        Add try
      </Button>
    </>
  )
}

interface TryFieldsProps {
  row: TryRow
  number: number
  draft: TaskDraft
  onChange: (changed: Partial<TryRow>) => void
  onRemove?: () => void
}

function TryFields({ row, number, draft, onChange, onRemove }: TryFieldsProps) {
  const endpoints = useEndpoints((state) => state.endpoints)
  const problem = temperatureProblem(row.temperature)
  return (
    <li className="tries-row">
      <fieldset>
        <legend>Try {number}</legend>
        <Select
          label="Model"
          value={row.model}
          options={modelOptions(endpoints, draft.model)}
          onChange={(event) => onChange({ model: event.target.value })}
        />
        <TextField
          label="Temperature"
          inputMode="decimal"
          placeholder="Default"
          value={row.temperature}
          {...(problem !== '' && { error: problem })}
          onChange={(event) => onChange({ temperature: event.target.value })}
        />
        <Select
          label="Toolset"
          value={row.toolset}
          options={toolsetOptions(draft.toolset)}
          onChange={(event) => onChange({ toolset: event.target.value })}
        />
        <IconButton
          icon="close"
          label={`Remove try ${number}`}
          disabled={onRemove === undefined}
          onClick={() => onRemove?.()}
        />
      </fieldset>
    </li>
  )
}

function modelOptions(endpoints: readonly EndpointStatus[], current: ModelChoice | undefined): SelectOption[] {
  const usable = endpoints.filter(isUsable)
  const suffix = (name: string) => (usable.length > 1 ? ` · ${name}` : '')
  return [
    { value: '', label: current ? `As in chat: ${modelDisplayName(current.model)}` : 'As in chat' },
    ...usable.flatMap(({ endpoint, models }) =>
      models.map(({ id }) => ({
        value: JSON.stringify({ endpointId: endpoint.id, model: id } satisfies ModelChoice),
        label: `${modelDisplayName(id)}${suffix(endpoint.name)}`,
      })),
    ),
  ]
}

function toolsetOptions(current: ToolsetName | undefined): SelectOption[] {
  return [
    { value: '', label: current ? `As in chat: ${toolsetLabels[current]}` : 'As in chat' },
    ...toolsetNames.map((name) => ({ value: name, label: toolsetLabels[name] })),
  ]
}

/** Returns why a temperature is not valid; '' if it is. */
function temperatureProblem(text: string): string {
  const value = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || (value >= 0 && value <= 2) ? '' : 'From 0 to 2.'
}

function optionsOf({ model, temperature, toolset }: TryRow, draft: TaskDraft) {
  // The values are those of the options above.
  const chosen = model === '' ? draft.model : (JSON.parse(model) as ModelChoice)
  const family = toolset === '' ? draft.toolset : (toolset as ToolsetName)
  const text = temperature.trim().replace(',', '.')
  return {
    ...(chosen && { model: chosen }),
    ...(family && { toolset: family }),
    ...(text !== '' && { temperature: Number(text) }),
  }
}

/** Returns which attachments of the message the tries get, and which not. */
function attachmentsHint({ pictures, elements }: TaskDraft): string | undefined {
  const sent = pictures.length
  const texts = [
    sent > 0 ? `Each try gets ${plural(sent, 'picture')} of the message.` : '',
    elements > 0
      ? `${plural(elements, 'page element')} of the message ${pluralNoun(elements, 'is', 'are')} not sent.`
      : '',
  ].filter((text) => text !== '')
  return texts.length > 0 ? texts.join(' ') : undefined
}
