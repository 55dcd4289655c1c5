import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/text/formatNumber.ts'
import { plural } from '../../../shared/text/plural.ts'
import { queryWords } from '../../code/codeIndex.ts'
import { globFilter } from '../../search/globs.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'
import { verifyClaims, claimNotes, readClaims } from './investigation/modelFindings.ts'
import { searchCode } from './investigation/codeSearch.ts'
import {
  answerSchema,
  investigationPrompt,
  investigationQuestion,
  investigationTools,
} from './investigation/investigationPrompt.ts'
import { collectSteps, lostPromptNote, type SubAgentSteps } from '../common/subAgentSteps.ts'
import { asMarkdown, investigationView, type Investigation } from './investigation/investigationReport.ts'
import { capValue } from '../common/searchReport.ts'
import { wordIndexNote } from '../common/symbolReport.ts'

const allFiles = '**/*'
const maxTurns = 16
const maxToolCalls = 120
/** Tokens that the model may read and write in an investigation. */
const maxTokens = 120_000
/** Maximum number of files matched against a scope. */
const maxScopeFiles = 200_000
/** Maximum delay of setTimeout in milliseconds. */
const maxDelayMs = 2 ** 31 - 1

/** Share of the calls that the search may use before the model. */
const searchShare = 0.25

const schema = () =>
  z.object({
    objective: z.string().describe('What to find out, as you would ask a colleague.'),
    scope: z
      .array(z.string())
      .default([allFiles])
      .describe('Only files that match one of these globs, e.g. "src/**/*.ts"; prefix "!" to exclude files.'),
    max_turns: z.number().int().min(1).default(8).describe(`Requests to the model (at most ${maxTurns}).`),
    max_tool_calls: z.number().int().min(1).default(40).describe(`Total tool calls (at most ${maxToolCalls}).`),
    output_format: z.enum(['json', 'markdown']).default('json').describe('`json` or `markdown`.'),
    cancel_after_ms: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('Milliseconds after which it returns what it has found.'),
  })

export const codebaseInvestigator = defineTool({
  name: 'codebase_investigator',
  title: 'Investigate',
  description:
    'Finds out how or where something is done in the project, across many files, ' +
    'and returns findings with verified evidence (path, line, text). Read-only.',
  risk: 'read',
  serial: true,
  asksModel: true,
  schema,
  examples: [
    { objective: 'Where are users kept, and what stops one from being added twice?' },
    {
      objective: 'How is the name of a user normalised?',
      scope: ['src/**/*.ts'],
      output_format: 'markdown',
      cancel_after_ms: 20_000,
    },
  ],
  async run(args, context) {
    const started = performance.now()
    if (queryWords(args.objective).words.length === 0)
      throw new ToolError(
        'invalid_arguments',
        'The objective contains no words.',
        'State in a sentence what to find out.',
      )
    const limit =
      args.cancel_after_ms === undefined ? undefined : AbortSignal.timeout(Math.min(args.cancel_after_ms, maxDelayMs))
    const signal = limit ? AbortSignal.any([context.signal, limit]) : context.signal
    const steps = collectSteps(context.progress)
    let found: Investigation
    try {
      found = await investigate(args, context, steps, signal)
      context.signal.throwIfAborted()
    } catch (error) {
      throw steps.failure(error)
    }
    if (limit?.aborted)
      found.notes.push(`Stopped after ${plural(args.cancel_after_ms ?? 0, 'millisecond')} (\`cancel_after_ms\`).`)
    found.meta.cancelled = limit?.aborted ?? false
    found.meta.elapsed_ms = Math.round(performance.now() - started)
    const json = args.output_format === 'json'
    return {
      text: json ? JSON.stringify(found, null, 1) : asMarkdown(found),
      format: json ? 'json' : 'text',
      readMoreHint: 'To see less, narrow `scope`',
      view: investigationView(found, steps),
    }
  },
})

const nothingFound =
  'The search found nothing for these words. Use words that the code or its comments may contain, or a wider scope.'

async function investigate(
  args: z.output<ReturnType<typeof schema>>,
  context: ToolContext,
  steps: SubAgentSteps,
  signal: AbortSignal,
): Promise<Investigation> {
  const turns = capValue('max_turns', args.max_turns, maxTurns)
  const calls = capValue('max_tool_calls', args.max_tool_calls, maxToolCalls)
  const scope = await scopeOf(args.scope, context)
  const forSearch = context.subAgent ? Math.max(1, Math.floor(calls.value * searchShare)) : calls.value
  const searched = await searchCode(args.objective, scope?.paths, forSearch, context, signal)
  const { index } = wordIndexNote(await context.code.status())
  const found: Investigation = {
    objective: args.objective,
    method: 'search',
    summary: '',
    findings: searched.findings,
    related: searched.related,
    meta: {
      scope: args.scope,
      turns: 0,
      max_turns: turns.value,
      tool_calls: searched.calls,
      max_tool_calls: calls.value,
      evidence_checked: searched.findings.reduce((sum, { evidence }) => sum + evidence.length, 0),
      evidence_dropped: 0,
      findings_dropped: 0,
      cancelled: false,
      elapsed_ms: 0,
    },
    notes: [
      turns.note,
      calls.note,
      ...searched.notes,
      scope?.note ?? '',
      index ?? '',
      searched.findings.length === 0 && !signal.aborted ? nothingFound : '',
    ].filter((note) => note !== ''),
  }
  const remainingCalls = calls.value - searched.calls
  if (!context.subAgent || signal.aborted) return found
  if (remainingCalls < 1)
    return { ...found, notes: [...found.notes, 'No model was used: the search used up `max_tool_calls`.'] }
  return searchWithModel(found, {
    context,
    subAgent: context.subAgent,
    steps,
    inScope: scope?.matches ?? (() => true),
    remainingCalls,
    signal,
  })
}

interface ModelSearchOptions {
  context: ToolContext
  subAgent: NonNullable<ToolContext['subAgent']>
  steps: SubAgentSteps
  inScope(path: string): boolean
  /** Number of tool calls that the model may still make. */
  remainingCalls: number
  signal: AbortSignal
}

/** Lets the model continue the search. Its findings replace the findings of the search if their evidence exists. */
async function searchWithModel(
  found: Investigation,
  { context, subAgent, steps, inScope, remainingCalls, signal }: ModelSearchOptions,
): Promise<Investigation> {
  const { meta, notes } = found
  const keepSearchFindings = (reason: string): Investigation => ({
    ...found,
    notes: [...notes, `${reason} These findings come from a search over words, symbols and calls.`],
  })
  const limits = { turns: meta.max_turns, calls: remainingCalls }
  try {
    const end = await subAgent({
      system: investigationPrompt,
      question: investigationQuestion(found.objective, meta.scope, found.findings, limits),
      tools: investigationTools,
      maxTurns: limits.turns,
      maxToolCalls: limits.calls,
      maxTokens,
      answerSchema,
      signal,
      onCall: steps.onCall,
      onResult: steps.onResult,
    })
    if (end.lostTokens !== undefined) steps.note = lostPromptNote(end.lostTokens)
    meta.turns = end.turns
    meta.tool_calls += end.toolCalls
    if (end.ended === 'failed') return keepSearchFindings(`The model failed: ${end.problem}`)
    if (end.ended === 'limit') return keepSearchFindings(end.problem || 'The model did not answer within its turns.')
    const claims = readClaims(end.text)
    if (!claims) return keepSearchFindings("The model's answer contains no readable findings.")
    const checked = await verifyClaims(claims, { documents: context.documents, inScope, signal })
    meta.evidence_dropped = checked.dropped
    meta.findings_dropped = checked.findingsDropped
    if (checked.findings.length === 0) return keepSearchFindings('None of the evidence that the model cited exists.')
    return {
      ...found,
      method: 'model',
      summary: claims.summary,
      findings: checked.findings,
      notes: [...notes, ...claimNotes(claims)],
      meta: { ...meta, evidence_checked: checked.checked },
    }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!signal.aborted) throw error
    return keepSearchFindings('The model did not answer in time.')
  }
}

/**
 * Returns the files of a scope, or undefined for all files.
 * @throws ToolError invalid_pattern, and not_found for a scope without files
 */
async function scopeOf(
  globs: readonly string[],
  { search, signal }: ToolContext,
): Promise<{ paths: string[]; matches(path: string): boolean; note: string } | undefined> {
  const filter = globFilter(globs)
  if (!filter || globs.every((glob) => [allFiles, '**', '*', '.'].includes(glob.trim()))) return undefined
  const { paths } = await search.files({ maxResults: maxScopeFiles }, { signal })
  const inScope = paths.filter((path) => filter.matches(path))
  if (inScope.length === 0)
    throw new ToolError(
      'not_found',
      `No file matches the scope ${globs.join(', ')}.`,
      'Omit `scope`, or list the folders with list_dir.',
    )
  const note =
    paths.length < maxScopeFiles
      ? ''
      : `Only the first ${formatNumber(maxScopeFiles)} files of the workspace were matched against \`scope\`.`
  return { paths: inScope, matches: filter.matches, note }
}
