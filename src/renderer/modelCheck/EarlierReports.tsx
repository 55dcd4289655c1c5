import { formatNumber } from '../../shared/text/formatNumber.ts'
import { taskSteps, type ModelReport } from '../../shared/models/modelCheck.ts'
import { verdictTexts, windowSizeText } from '../../shared/models/modelCheckTexts.ts'
import { Button, IconButton } from '../ui/index.ts'
import { removeReport, useModelCheck } from './modelCheckStore.ts'

/** Stored reports side by side, the latest first. @param shown id of the report above */
export function EarlierReports({ reports, shown }: { reports: readonly ModelReport[]; shown: string | undefined }) {
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
