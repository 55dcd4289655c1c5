import { useEffect } from 'react'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import { type RunningCheck, taskSteps, type ModelReport } from '../../shared/models/modelCheck.ts'
import { useCurrentModel } from '../platform/conversation/currentModel.ts'
import { runCommand } from '../platform/commands.ts'
import { loadEndpoints, useEndpoints } from '../platform/models/endpointsStore.ts'
import { takePageFocus } from '../platform/layout/pages.tsx'
import { Button, EmptyState, Select, Spinner, IconButton } from '../ui/index.ts'
import { CheckSteps } from './CheckSteps.tsx'
import { cancelCheck, loadModelChecks, startCheck, useModelCheck, removeReport } from './modelCheckStore.ts'
import { ReportView } from './ReportView.tsx'
import './modelCheck.css'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { verdictTexts, windowSizeText } from '../../shared/models/modelCheckTexts.ts'

/** The page that checks what a model and its server can do. */
export function ModelCheckPage() {
  const { checks, shown } = useModelCheck()
  const loaded = useEndpoints((state) => state.loadedAt !== null)
  useEffect(loadModelChecks, [])
  useEffect(() => {
    if (!loaded) void loadEndpoints(false)
  }, [loaded])
  if (!checks) return <Spinner />
  const { running, problem, reports } = checks
  const report = reports.find(({ id }) => id === shown) ?? reports[0]
  return (
    <div className="model-check-page" role="region" aria-label="Check my model">
      <div className="model-check-content">
        <header>
          <h1 className="ui-page-title">Check my model</h1>
          <p className="model-check-muted">
            Measures the server and lets the model solve small tasks in temporary folders. None of your work is sent,
            and your files are not touched. It takes a few minutes.
          </p>
        </header>
        {running ? <Progress check={running} /> : <Start />}
        {problem !== null && !running && (
          <p className="model-check-problem" role="alert">
            {problem}
          </p>
        )}
        {report && !running && <ReportView key={report.id} report={report} />}
        {reports.length > 0 && <EarlierReports reports={reports} shown={running ? undefined : report?.id} />}
      </div>
    </div>
  )
}

const keyOf = ({ endpointId, model }: ModelChoice): string => JSON.stringify([endpointId, model])

function Start() {
  const endpoints = useEndpoints((state) => state.endpoints)
  const current = useCurrentModel()
  const chosen = useModelCheck((state) => state.choice) ?? current
  const choices = endpoints.flatMap(({ endpoint, models }) =>
    endpoint.kind === 'tour'
      ? []
      : models.map(({ id }) => ({
          choice: { endpointId: endpoint.id, model: id },
          label: `${id} (${endpoint.name})`,
        })),
  )
  const choice = choices.find((each) => chosen && keyOf(each.choice) === keyOf(chosen)) ?? choices[0]
  if (!choice) return <NoModel />
  return (
    <form
      className="model-check-start"
      onSubmit={(event) => {
        event.preventDefault()
        startCheck(choice.choice)
      }}
    >
      <Select
        ref={takePageFocus}
        data-autofocus
        label="Model"
        value={keyOf(choice.choice)}
        options={choices.map((each) => ({ value: keyOf(each.choice), label: each.label }))}
        onChange={(event) =>
          useModelCheck.setState({
            choice: choices.find((each) => keyOf(each.choice) === event.target.value)?.choice ?? null,
          })
        }
      />
      <Button variant="primary" icon="beaker" type="submit">
        Start check
      </Button>
    </form>
  )
}

/** Shown if there is no model to check: explains why each configured server has none, and what to do. */
function NoModel() {
  const { endpoints, busy } = useEndpoints()
  const problems = [...new Set(endpoints.flatMap(({ problem }) => problem ?? []))]
  const hasServers = problems.length > 0
  return (
    <EmptyState
      icon="beaker"
      title="No model to check"
      actions={
        <>
          <Button
            variant={hasServers ? 'primary' : 'default'}
            icon="refresh"
            disabled={busy}
            onClick={() => void loadEndpoints(true)}
          >
            Search again
          </Button>
          <Button variant={hasServers ? 'default' : 'primary'} onClick={() => runCommand('help.firstSteps')}>
            Set up a model
          </Button>
        </>
      }
    >
      {hasServers
        ? problems.map((problem) => <p key={problem}>{problem}</p>)
        : 'Start a model server, or add one in the settings.'}
    </EmptyState>
  )
}

function Progress({ check }: { check: RunningCheck }) {
  const { model, steps, cancelling } = check
  const ended = steps.filter(({ state }) => state !== 'waiting' && state !== 'running').length
  return (
    <section className="model-check-section" aria-label="Running check">
      <div className="model-check-head">
        <h2 className="ui-page-section-title">{`Checking ${model}`}</h2>
        <Button icon="debug-stop" disabled={cancelling} onClick={cancelCheck}>
          {cancelling ? 'Cancelling…' : 'Cancel'}
        </Button>
      </div>
      <progress aria-label="Finished steps" max={Math.max(1, steps.length)} value={ended} />
      <CheckSteps steps={steps} live />
    </section>
  )
}

/** Stored reports side by side, latest first. @param shown id of the report above */
function EarlierReports({ reports, shown }: { reports: readonly ModelReport[]; shown: string | undefined }) {
  return (
    <section className="model-check-section" aria-label="All results">
      <h2 className="ui-page-section-title">All results</h2>
      <div className="model-check-scroll" role="group" aria-label="Results by model" tabIndex={0}>
        <table className="model-check-table model-check-results" aria-label="All results">
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">Verdict</th>
              <th scope="col">Tasks</th>
              <th scope="col">Calls</th>
              <th scope="col">Context</th>
              <th scope="col">Tokens/s</th>
              <th scope="col">Date</th>
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {reports.map((report) => (
              <Row key={report.id} report={report} isShown={report.id === shown} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

const callTexts = { native: 'Native', text: 'As text', both: 'Both', none: 'None', guided: 'Guided' } as const
const unknown = '–'

function Row({ report, isShown }: { report: ModelReport; isShown: boolean }) {
  const { id, model, verdict, facts, steps, at } = report
  const tasks = steps.filter(({ step }) => taskSteps.some((task) => task === step))
  const passed = tasks.filter(({ state }) => state === 'passed').length
  return (
    <tr aria-current={isShown ? 'true' : undefined}>
      <th scope="row">{model}</th>
      <td>{verdictTexts[verdict].label}</td>
      <td>{tasks.length === 0 ? unknown : `${passed} of ${tasks.length}`}</td>
      <td>{facts.calls ? callTexts[facts.calls] : unknown}</td>
      <td>{windowSizeText(facts) ?? unknown}</td>
      <td>{facts.speed?.generation === undefined ? unknown : formatNumber(facts.speed.generation, 0)}</td>
      <td>{new Date(at).toLocaleDateString()}</td>
      <td className="model-check-actions">
        <span>
          <Button
            size="small"
            variant="ghost"
            disabled={isShown}
            aria-label={`Show the result of ${model}`}
            onClick={() => useModelCheck.setState({ shown: id })}
          >
            Show
          </Button>
          <IconButton icon="trash" label={`Remove the result of ${model}`} onClick={() => removeReport(report)} />
        </span>
      </td>
    </tr>
  )
}
