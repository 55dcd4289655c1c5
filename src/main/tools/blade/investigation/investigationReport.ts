import type { ToolView } from '../../../../shared/tools/tool.ts'
import { plural } from '../../../../shared/text/plural.ts'
import type { SubAgentSteps } from '../../common/subAgentSteps.ts'
import type { Finding } from './modelFindings.ts'
import type { RelatedSymbol } from './codeSearch.ts'

/** The result of an investigation. Uses the field names of the other composite tools. */
export interface Investigation {
  objective: string
  /**
   * `model`: findings of the conversation's model with verified evidence. `search`: findings of a search over words,
   * symbols and calls.
   */
  method: 'model' | 'search'
  summary: string
  findings: Finding[]
  related: RelatedSymbol[]
  meta: {
    scope: readonly string[]
    turns: number
    max_turns: number
    tool_calls: number
    max_tool_calls: number
    evidence_checked: number
    evidence_dropped: number
    findings_dropped: number
    cancelled: boolean
    elapsed_ms: number
  }
  /** Notes on limits, fallbacks and an incomplete index. */
  notes: string[]
}

/** Formats an investigation as Markdown for the model. */
export function asMarkdown({ objective, method, summary, findings, related, meta, notes }: Investigation): string {
  const how =
    method === 'model'
      ? `by the model in ${plural(meta.turns, 'turn')} and ${plural(meta.tool_calls, 'call')}`
      : 'by a search over words, symbols and calls'
  const dropped =
    meta.evidence_dropped === 0
      ? ''
      : `; ${meta.evidence_dropped} cited locations were dropped because they do not exist`
  return [
    `# ${objective}`,
    summary,
    ...(findings.length === 0 ? ['Nothing was found.'] : findings.map(section)),
    ...(related.length === 0 ? [] : [['## Related', ...related.map(relatedLine)].join('\n')]),
    [`Found ${how}. Evidence: ${plural(meta.evidence_checked, 'location')} verified${dropped}.`, ...notes]
      .map((line) => `_${line}_`)
      .join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function section({ title, detail, confidence, evidence }: Finding): string {
  return [
    `## ${title} (${confidence})`,
    ...(detail === '' ? [] : [detail]),
    ...evidence.map(({ path, line, text }) => `- ${path}:${line}: ${codeSpan(text)}`),
  ].join('\n')
}

/** Formats code in enough backticks for its content. */
function codeSpan(text: string): string {
  const ticks = '`'.repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length)) + 1)
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`
}

function relatedLine({ relation, symbol, of, path, line, match }: RelatedSymbol): string {
  const place = `${path}:${line}${match === 'name' ? ', by name only' : ''}`
  return relation === 'calls' ? `- ${of} calls ${symbol} (${place})` : `- ${of} is called by ${symbol} (${place})`
}

/** Returns the conclusions, the evidence as locations that the user can open, and the calls of the model. */
export function investigationView(
  { objective, method, summary, findings }: Investigation,
  { calls, note }: Pick<SubAgentSteps, 'calls' | 'note'>,
): ToolView {
  const matches = findings.flatMap(({ evidence }) => evidence.map(({ path, line, text }) => ({ path, line, text })))
  const conclusions = [
    summary,
    // The search draws no conclusions: its titles are symbol names, as in the evidence.
    ...(method === 'model' ? findings.map(({ title, detail }) => [title, detail].filter(Boolean).join(': ')) : []),
  ].filter((text) => text !== '')
  return {
    kind: 'matches',
    pattern: objective,
    matches,
    total: matches.length,
    truncated: false,
    ...(conclusions.length > 0 && { summary: conclusions.join('\n\n') }),
    ...(calls.length > 0 && { calls }),
    ...(note !== undefined && { note }),
  }
}
