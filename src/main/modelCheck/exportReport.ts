import { checkStepTexts, type ModelReport, type ModelReportFormat } from '../../shared/models/modelCheck.ts'
import {
  endedTexts,
  factRows,
  findingTexts,
  recommendationRows,
  stepStateText,
  verdictTexts,
} from '../../shared/models/modelCheckTexts.ts'
import { formatDuration } from '../../shared/text/formatDuration.ts'

/** A report without anything about the machine: no host names, paths, keys or error messages of the server. */
type SharedReport = Omit<ModelReport, 'id' | 'endpointId' | 'problem'>

function sharedReport(report: ModelReport): SharedReport {
  const { at, ms, model, api, server, version, ended, steps, facts, findings, verdict, recommendation } = report
  return {
    model: sharedModelName(model),
    at,
    ms,
    api,
    ...(server !== undefined && { server }),
    version,
    ended,
    // Details are error messages, which may name the server.
    steps: steps.map((each) => ({ ...each, detail: undefined })),
    facts,
    findings,
    verdict,
    recommendation,
  }
}

/** Shortens a path, as in llama-server's model names, to its file name. Keeps `maker/model`. */
function sharedModelName(model: string): string {
  const isPath = /^(?:[a-z]:)?[\\/]|^~|^\.{1,2}[\\/]|\\/i.test(model) || model.split('/').length > 2
  return isPath ? (model.split(/[\\/]/).findLast((part) => part !== '') ?? model) : model
}

export function reportJson(report: ModelReport): string {
  return `${JSON.stringify({ tizona: 'model check', ...sharedReport(report) }, null, 2)}\n`
}

const apiTexts: Readonly<Record<string, string>> = {
  openai: 'OpenAI-compatible API',
  ollama: 'Ollama API',
  gguf: 'model file that Tizona runs',
}

/** Formats a report for issues and forums. */
export function reportMarkdown(report: ModelReport): string {
  const { model, api, server, version, at, ms, ended, steps, facts, findings, verdict, recommendation } =
    sharedReport(report)
  const software = server === undefined ? '' : `${server}, `
  return [
    `# ${cell(model)}: ${verdictTexts[verdict].label.toLowerCase()}`,
    '',
    verdictTexts[verdict].detail,
    '',
    `Checked with Tizona ${version} on ${new Date(at).toISOString().slice(0, 10)} in ${formatDuration(ms)} ` +
      `(${software}${apiTexts[api] ?? api}). ${endedTexts[ended]}.`,
    '',
    '| Step | Result | Time | Note |',
    '| --- | --- | --- | --- |',
    ...steps.map(({ step, state, ms: time, note = '' }) =>
      row(checkStepTexts[step], stepStateText(step, state), time === undefined ? '' : formatDuration(time), note),
    ),
    '',
    '| Fact | Value |',
    '| --- | --- |',
    ...factRows(facts).map(({ name, value }) => row(name, value)),
    '',
    ...(findings.length === 0
      ? ['No problems were found.']
      : findings.map(
          ({ code, count }) =>
            `- **${findingTexts[code].label}**${count > 1 ? ` (${count} times)` : ''}: ${findingTexts[code].detail}`,
        )),
    '',
    '| Setting | Recommended | Reason |',
    '| --- | --- | --- |',
    ...recommendationRows(recommendation).map(({ name, value, reason }) => row(name, value, reason)),
    '',
  ].join('\n')
}

function row(...cells: string[]): string {
  return `| ${cells.map(cell).join(' | ')} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s+/g, ' ')
}

/** Returns a file name that every system accepts. */
export function exportName({ model }: ModelReport, format: ModelReportFormat): string {
  const name = sharedModelName(model)
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, 80)
  return `tizona-check-${name}.${format === 'json' ? 'json' : 'md'}`
}
