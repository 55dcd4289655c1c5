import { formatDuration } from '../../shared/text/formatDuration.ts'
import type { ModelReport } from '../../shared/models/modelCheck.ts'
import {
  endedTexts,
  factRows,
  findingTexts,
  unfinishedCheck,
  recommendationRows,
  verdictTexts,
} from '../../shared/models/modelCheckTexts.ts'
import { plural } from '../../shared/text/plural.ts'
import { useEndpoints } from '../platform/models/endpointsStore.ts'
import { Button, Icon } from '../ui/index.ts'
import { CheckSteps } from './CheckSteps.tsx'
import { applyReport, exportReport } from './modelCheckStore.ts'

const verdictIcons: Readonly<Record<ModelReport['verdict'], string>> = {
  good: 'pass-filled',
  usable: 'pass',
  limited: 'warning',
  unsuitable: 'error',
  unfinished: 'question',
}

export function ReportView({ report }: { report: ModelReport }) {
  const { model, at, ms, ended, problem, steps, facts, findings, verdict } = report
  return (
    <section className="model-check-section" aria-label={`Result of ${model}`}>
      <div className="model-check-head">
        <h2 className="ui-page-section-title">{model}</h2>
        <div className="model-check-exports">
          <Button icon="markdown" onClick={() => exportReport(report, 'markdown')}>
            Export Markdown
          </Button>
          <Button icon="json" onClick={() => exportReport(report, 'json')}>
            Export JSON
          </Button>
        </div>
      </div>
      <div className="model-check-verdict" data-verdict={verdict} role="status">
        <Icon name={verdictIcons[verdict]} />
        <div>
          <strong>{verdictTexts[verdict].label}</strong>
          <p>{verdictTexts[verdict].detail}</p>
        </div>
      </div>
      <p className="model-check-muted">
        {new Date(at).toLocaleDateString()} {new Date(at).toLocaleTimeString()}, {formatDuration(ms)}.{' '}
        {endedTexts[ended]}.{problem && ` ${problem}`}
      </p>
      <Recommended report={report} />
      <h3>Findings</h3>
      {findings.length === 0 ? (
        <p className="model-check-muted">No problems.</p>
      ) : (
        <ul className="model-check-findings">
          {findings.map(({ code, count }) => {
            const { label, detail, level } = findingTexts[code]
            return (
              <li key={code} data-level={level}>
                <Icon name={level === 'problem' ? 'warning' : 'info'} />
                <span>
                  <strong>{label}</strong>
                  {count > 1 && ` (${plural(count, 'time')})`}. {detail}
                </span>
              </li>
            )
          })}
        </ul>
      )}
      <h3>Facts</h3>
      <table className="model-check-table" aria-label="Facts">
        <tbody>
          {factRows(facts).map(({ name, value }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Steps</h3>
      <CheckSteps steps={steps} />
    </section>
  )
}

/** The recommended settings, which one click saves if the check finished. */
function Recommended({ report }: { report: ModelReport }) {
  const isComplete = report.ended === 'complete'
  const isConfigured = useEndpoints((state) =>
    state.endpoints.some(({ endpoint }) => endpoint.id === report.endpointId),
  )
  return (
    <>
      <div className="model-check-head">
        <h3>Recommended settings</h3>
        {isComplete && (
          <Button variant="primary" icon="check" disabled={!isConfigured} onClick={() => applyReport(report)}>
            Apply
          </Button>
        )}
      </div>
      {!isComplete ? (
        <p className="model-check-muted">{`${unfinishedCheck.message} ${unfinishedCheck.hint}`}</p>
      ) : (
        !isConfigured && (
          <p className="model-check-muted">The server of this result is not configured, so nothing can be applied.</p>
        )
      )}
      <table className="model-check-table" aria-label="Recommended settings">
        <tbody>
          {recommendationRows(report.recommendation).map(({ name, value, reason }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
              <td className="model-check-muted">{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}
