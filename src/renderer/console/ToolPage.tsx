import type { ToolInfo } from '../../shared/tools/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { modeTexts } from '../../shared/tools/modeTexts.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { toolIcon } from '../platform/toolCalls/toolSummary.ts'
import { useTools } from '../platform/conversation/toolsStore.ts'
import { disabledTexts, riskText } from '../../shared/tools/toolsetTexts.ts'
import { useSettings } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, Spinner } from '../ui/index.ts'
import { runTool, useConsoleCalls, type ConsoleCall } from './consoleStore.ts'
import { useEffect, useRef, useMemo, useState } from 'react'
import { outerCallId } from '../../shared/tools/approval.ts'
import { ApprovalCard } from '../platform/approval/ApprovalCard.tsx'
import { LinkedCode } from '../platform/textLinks/LinkedCode.tsx'
import { ToolDetails } from '../platform/toolCalls/ToolDetails.tsx'
import { formatDuration } from '../../shared/text/formatDuration.ts'
import { useJobs } from '../platform/jobs/jobsStore.ts'
import { SchemaForm } from './SchemaForm.tsx'
import { draftOf, fieldsOf, readFields, type Draft, type Field, type FieldProblem } from './schemaFields.ts'

/** Description, arguments and result of one tool. */
export function ToolPage({ tool }: { tool: ToolInfo }) {
  const settings = useSettings()
  const toolset = useTools((state) => state.toolset)
  const conversationMode = useChat((state) => state.info?.mode)
  const mode = conversationMode ?? settings?.mode ?? 'safe'
  const input = useArgumentsInput(tool)
  const shown = useConsoleCalls((state) => (state.latestCallId === null ? undefined : state.calls[state.latestCallId]))
  const call = shown?.tool === tool.name ? shown : undefined
  const running = shown?.state === 'running'
  const { off } = tool

  function run(): void {
    const values = input.readArguments()
    if (values && toolset && !running && !off)
      attempt(() => runTool({ name: tool.name, arguments: values, toolset, mode }))
  }
  return (
    <div className="console-page">
      <ToolHeader tool={tool} />
      <form
        className="console-form"
        aria-label={`Arguments of ${tool.name}`}
        onSubmit={(event) => {
          event.preventDefault()
          run()
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat) return
          event.preventDefault()
          run()
        }}
      >
        <ArgumentsInput input={input} />
        <div className="console-run">
          <Button type="submit" variant="primary" icon="play" disabled={running || off !== undefined}>
            Run
          </Button>
          {running && (
            <Button
              icon="debug-stop"
              onClick={() =>
                attempt(() => request('tools.cancel', { callId: shown.callId }), 'The call could not be cancelled')
              }
            >
              Cancel
            </Button>
          )}
          <Button variant="ghost" icon="json" aria-pressed={input.json !== null} onClick={input.toggleJson}>
            {input.json === null ? 'Edit as JSON' : 'Edit as form'}
          </Button>
          <span className="console-mode">{`${modeTexts[mode].label} mode: ${modeTexts[mode].detail}.`}</span>
        </div>
      </form>
      {call && <CallResult call={call} />}
    </div>
  )
}

function ToolHeader({ tool }: { tool: ToolInfo }) {
  const { off } = tool
  return (
    <header className="console-header">
      <h2 className="ui-page-section-title">
        <Icon name={toolIcon(tool.name)} />
        {tool.title}
        <code>{tool.name}</code>
        <span className={`console-risk console-risk-${riskText(tool).tone}`}>{riskText(tool).label}</span>
      </h2>
      <p>{tool.description}</p>
      {tool.aliases.length > 0 && <p className="console-aliases">{`Aliases: ${tool.aliases.join(', ')}`}</p>}
      {off && (
        <p className="console-off">
          <Icon name="circle-slash" />
          {disabledTexts[off]}
          <Button size="small" variant="ghost" onClick={() => runCommand('settings.open')}>
            Open settings
          </Button>
        </p>
      )}
    </header>
  )
}

/** State, approval card and result of a call. */
function CallResult({ call }: { call: ConsoleCall }) {
  const approval = useChat((state) => state.approvals.find(({ callId }) => outerCallId(callId) === call.callId))
  const progress = useChat((state) => state.progress[call.callId])
  const started =
    call.result?.view.kind === 'command' ? call.result.view.job : progress?.kind === 'job' ? progress.job : undefined
  const job = useJobs((state) => (started ? (state.jobs[started.id] ?? started) : undefined))
  const element = useRef<HTMLElement>(null)
  useEffect(() => {
    element.current?.scrollIntoView({ block: 'nearest' })
  }, [call.state, approval])
  const { result } = call
  return (
    <section
      ref={element}
      tabIndex={-1}
      className="console-result"
      aria-label="Result"
      data-testid="console-result"
      data-state={call.state}
      data-ok={result?.ok}
    >
      {approval && <ApprovalCard request={approval} onFocusLost={() => element.current?.focus()} />}
      <h3>
        {call.state === 'running' ? (
          <>
            <Spinner label="Running" />
            {approval ? 'Waiting for your approval' : 'Running'}
          </>
        ) : result?.ok ? (
          <>
            <Icon name="pass" className="job-tone-success" />
            Done in {formatDuration(result.elapsedMs)}
          </>
        ) : (
          <>
            <Icon name="error" className="job-tone-failure" />
            {result?.error?.code ?? 'Failed'}
          </>
        )}
      </h3>
      {call.problem && <p className="tool-note tool-note-failed">{call.problem}</p>}
      {result?.error && (
        <div className="tool-card-error">
          <span>
            <LinkedCode text={result.error.message} />
          </span>
          {result.error.next && <span className="tool-card-next">{result.error.next}</span>}
        </div>
      )}
      <ToolDetails
        callId={call.callId}
        argumentsText={JSON.stringify(call.arguments)}
        result={result}
        job={job}
        errorShown={result?.error !== undefined}
      />
    </section>
  )
}

/** A tool's arguments as entered by the user, in a form or as JSON. */
interface ArgumentsInputState {
  fields: readonly Field[]
  draft: Draft
  setDraft: (draft: Draft) => void
  /** JSON text; null while the form is shown. */
  json: string | null
  setJson: (json: string) => void
  problems: readonly FieldProblem[]
  /** Returns the arguments. If they are invalid, shows the problems and returns undefined. */
  readArguments: () => Record<string, unknown> | undefined
  /** Switches between form and JSON, if the arguments are valid. */
  toggleJson: () => void
}

function useArgumentsInput(tool: ToolInfo): ArgumentsInputState {
  const fields = useMemo(() => fieldsOf(tool.schema), [tool.schema])
  const [draft, setDraft] = useState<Draft>({})
  const [json, setJson] = useState<string | null>(null)
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])

  function readArguments(): Record<string, unknown> | undefined {
    if (json === null) {
      const { value, problems: found } = readFields(fields, draft)
      setProblems(found)
      return found.length === 0 ? value : undefined
    }
    try {
      const value: unknown = JSON.parse(json)
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new Error('A JSON object is required.')
      setProblems([])
      // JSON objects have string keys.
      return value as Record<string, unknown>
    } catch (error) {
      setProblems([{ path: '', message: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` }])
      return undefined
    }
  }

  function toggleJson(): void {
    const values = readArguments()
    if (!values) return
    if (json === null) setJson(JSON.stringify(values, null, 2))
    else {
      setDraft(draftOf(fields, values))
      setJson(null)
    }
  }

  return { fields, draft, setDraft, json, setJson, problems, readArguments, toggleJson }
}

/** The form for the arguments, or the JSON editor. */
function ArgumentsInput({ input }: { input: ArgumentsInputState }) {
  const { fields, draft, setDraft, json, setJson, problems } = input
  if (json === null)
    return fields.length === 0 ? (
      <p className="tool-note">This tool takes no arguments.</p>
    ) : (
      <SchemaForm fields={fields} draft={draft} problems={problems} onChange={setDraft} />
    )
  const jsonProblem = problems.find(({ path }) => path === '')?.message
  return (
    <div className="ui-field">
      <textarea
        className="ui-input schema-input console-json"
        aria-label="Arguments as JSON"
        aria-invalid={jsonProblem !== undefined}
        spellCheck={false}
        value={json}
        onChange={(event) => setJson(event.target.value)}
      />
      {jsonProblem && (
        <span className="ui-field-error" role="alert">
          {jsonProblem}
        </span>
      )}
    </div>
  )
}
