import { plural } from '../../shared/plural.ts'
import { useEffect, useMemo, useRef, useState } from 'react'
import { outerCallId } from '../../shared/approval.ts'
import type { ToolInfo } from '../../shared/tool.ts'
import { request } from '../platform/bridge/bridge.ts'
import { ApprovalCard } from '../platform/approval/ApprovalCard.tsx'
import { modeTexts } from '../../shared/modeTexts.ts'
import { useChat } from '../platform/conversation/chatStore.ts'
import { ToolDetails } from '../platform/toolCalls/ToolDetails.tsx'
import { formatDuration } from '../../shared/formatDuration.ts'
import { toolIcon } from '../platform/toolCalls/toolSummary.ts'
import { useActiveToolset, useTools } from '../platform/conversation/toolsStore.ts'
import { disabledTexts, riskText, toolsetLabels } from '../../shared/toolsetTexts.ts'
import { useJobs } from '../platform/jobs/jobsStore.ts'
import { useSettings, useWorkspace } from '../platform/appState.ts'
import { runCommand } from '../platform/commands.ts'
import { attempt } from '../platform/notices.ts'
import { Button, EmptyState, Icon, Select, Spinner, TextField } from '../ui/index.ts'
import { SchemaForm } from './SchemaForm.tsx'
import { draftOf, fieldsOf, readFields, type Draft, type FieldProblem } from './schemaFields.ts'
import { runTool, useConsoleCalls, type ConsoleCall } from './consoleStore.ts'
import './console.css'

/** Lets the user run any tool of the active toolset, with the same executor and approvals as a model's call. */
export function ToolConsole() {
  const toolset = useActiveToolset()
  const workspace = useWorkspace()
  const tools = useTools((state) => state.tools)
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const found = useMemo(() => matching(tools, query), [tools, query])
  const tool = tools.find(({ name }) => name === chosen) ?? tools[0]

  if (!workspace) {
    return (
      <EmptyState icon="tools" title="No folder is open">
        Open a folder to run tools.
      </EmptyState>
    )
  }
  return (
    <section className="console" aria-label="Tool console">
      <div className="console-layout">
        <nav className="console-tools" aria-label="Tools">
          <div className="console-search">
            <TextField
              label="Search tools"
              hideLabel
              placeholder={`Search ${plural(tools.length, 'tool')}${toolset ? ` of ${toolsetLabels[toolset]}` : ''}`}
              type="search"
              value={query}
              onChange={(event) => setQuery(event.target.value)}
            />
          </div>
          <ul>
            {found.map((each) => (
              <li key={each.name}>
                <button
                  type="button"
                  className={each.off ? 'console-tool console-tool-off' : 'console-tool'}
                  aria-current={each.name === tool?.name}
                  title={each.description}
                  onClick={() => setChosen(each.name)}
                >
                  <Icon name={toolIcon(each.name)} />
                  <span className="console-tool-name">{each.name}</span>
                  {each.off ? (
                    <span className="console-risk">off</span>
                  ) : (
                    <span className={`console-risk console-risk-${riskText(each).tone}`}>{each.risk}</span>
                  )}
                </button>
              </li>
            ))}
            {found.length === 0 && (
              <li className="console-none">{tools.length === 0 ? 'This toolset has no tools.' : 'No tool matches.'}</li>
            )}
          </ul>
        </nav>
        {tool && (
          <div className="console-choice">
            <Select
              label="Tool"
              value={tool.name}
              options={tools.map(({ name }) => ({ value: name, label: name }))}
              onChange={(event) => setChosen(event.target.value)}
            />
          </div>
        )}
        {tool && <ToolPage key={tool.name} tool={tool} />}
      </div>
    </section>
  )
}

function matching(tools: readonly ToolInfo[], query: string): readonly ToolInfo[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  return tools.filter((tool) => {
    const text = [tool.name, tool.title, ...tool.aliases].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

function ToolPage({ tool }: { tool: ToolInfo }) {
  const settings = useSettings()
  const toolset = useTools((state) => state.toolset)
  const conversationMode = useChat((state) => state.info?.mode)
  const mode = conversationMode ?? settings?.mode ?? 'safe'
  const fields = useMemo(() => fieldsOf(tool.schema), [tool.schema])
  const [draft, setDraft] = useState<Draft>({})
  const [json, setJson] = useState<string | null>(null)
  const [problems, setProblems] = useState<readonly FieldProblem[]>([])
  const shown = useConsoleCalls((state) => (state.latestCallId === null ? undefined : state.calls[state.latestCallId]))
  const call = shown?.tool === tool.name ? shown : undefined
  const running = shown?.state === 'running'
  const { off } = tool

  function readArguments(): Record<string, unknown> | undefined {
    if (json === null) {
      const { value, problems: found } = readFields(fields, draft)
      setProblems(found)
      return found.length === 0 ? value : undefined
    }
    try {
      const value: unknown = JSON.parse(json)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('expected a JSON object')
      setProblems([])
      // JSON objects have string keys.
      return value as Record<string, unknown>
    } catch (error) {
      setProblems([{ path: '', message: `Invalid JSON: ${error instanceof Error ? error.message : String(error)}` }])
      return undefined
    }
  }
  function run(): void {
    const values = readArguments()
    if (values && toolset && !running && !off)
      attempt(() => runTool({ name: tool.name, arguments: values, toolset, mode }))
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

  const jsonProblem = problems.find(({ path }) => path === '')?.message
  return (
    <div className="console-page">
      <header className="console-header">
        <h2>
          <Icon name={toolIcon(tool.name)} />
          {tool.title}
          <code>{tool.name}</code>
          <span className={`console-risk console-risk-${riskText(tool).tone}`}>{riskText(tool).label}</span>
        </h2>
        <p>{tool.description}</p>
        {tool.aliases.length > 0 && <p className="console-aliases">Aliases: {tool.aliases.join(', ')}</p>}
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
        {json === null ? (
          fields.length === 0 ? (
            <p className="tool-note">This tool takes no arguments.</p>
          ) : (
            <SchemaForm fields={fields} draft={draft} problems={problems} onChange={setDraft} />
          )
        ) : (
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
        )}
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
          <Button variant="ghost" icon="json" aria-pressed={json !== null} onClick={toggleJson}>
            {json === null ? 'Edit as JSON' : 'Edit as form'}
          </Button>
          <span className="console-mode">
            {modeTexts[mode].label} mode: {modeTexts[mode].detail.toLowerCase()}
          </span>
        </div>
      </form>
      {call && <CallResult call={call} />}
    </div>
  )
}

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
          <span>{result.error.message}</span>
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
