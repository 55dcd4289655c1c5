import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { formatNumber } from '../../../shared/formatNumber.ts'
import { plural } from '../../../shared/plural.ts'
import { queryWords } from '../../code/index/codeIndex.ts'
import { globFilter } from '../../search/globs.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { checkClaims, claimNotes, readClaims } from './investigation/findings.ts'
import { look } from './investigation/look.ts'
import { investigationPrompt, investigationQuestion, investigationTools } from './investigation/question.ts'
import { asMarkdown, investigationView, type Investigation } from './investigation/report.ts'
import { capped } from '../common/searchReport.ts'
import { indexNote } from '../common/symbolReport.ts'

const everything = '**/*'
const mostTurns = 16
const mostCalls = 120
/** Files that a scope is held against. */
const mostFiles = 200_000
/** What setTimeout can hold. Milliseconds. */
const longestTime = 2 ** 31 - 1

/** Where a model is asked, the search before it leaves it most of the calls. */
const searchShare = 0.25

const schema = z.object({
  objective: z.string().describe('What to find out, as you would ask a colleague.'),
  scope: z
    .array(z.string())
    .default([everything])
    .describe(
      'Only files that match one of these globs, e.g. "src/**/*.ts"; "!" in front of one leaves its files out.',
    ),
  max_turns: z.number().int().min(1).default(8).describe(`Requests to the model (at most ${mostTurns}).`),
  max_tool_calls: z.number().int().min(1).default(40).describe(`Tool calls altogether (at most ${mostCalls}).`),
  output_format: z.enum(['json', 'markdown']).default('json').describe('`json` or `markdown`.'),
  cancel_after_ms: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Milliseconds after which it ends with what is known by then. Default: no limit.'),
})

export const codebaseInvestigator = defineTool({
  name: 'codebase_investigator',
  title: 'Investigate',
  description:
    'Finds out how or where something is done in the project, over as many files as it takes, ' +
    'and returns findings with evidence (path, line, text) that was checked to be there. Only reads.',
  risk: 'read',
  serial: true,
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
      throw new ToolError('invalid_arguments', 'The objective holds no word.', 'Say in a sentence what to find out.')
    const limit =
      args.cancel_after_ms === undefined ? undefined : AbortSignal.timeout(Math.min(args.cancel_after_ms, longestTime))
    const found = await investigate(args, context, limit ? AbortSignal.any([context.signal, limit]) : context.signal)
    context.signal.throwIfAborted()
    if (limit?.aborted)
      found.notes.push(`It was ended after ${plural(args.cancel_after_ms ?? 0, 'millisecond')} (\`cancel_after_ms\`).`)
    found.meta.cancelled = limit?.aborted ?? false
    found.meta.elapsed_ms = Math.round(performance.now() - started)
    const json = args.output_format === 'json'
    return {
      text: json ? JSON.stringify(found, null, 1) : asMarkdown(found),
      format: json ? 'json' : 'text',
      more: 'To see less, narrow `scope`',
      view: investigationView(found),
    }
  },
})

const nothingFound =
  'The search found nothing with these words. Ask with words that the code or its comments may use, or in a wider scope.'

async function investigate(
  args: z.output<typeof schema>,
  context: ToolContext,
  signal: AbortSignal,
): Promise<Investigation> {
  const turns = capped('max_turns', args.max_turns, mostTurns)
  const calls = capped('max_tool_calls', args.max_tool_calls, mostCalls)
  const scope = await scopeOf(args.scope, context)
  const forSearch = context.subAgent ? Math.max(1, Math.floor(calls.value * searchShare)) : calls.value
  const looked = await look(args.objective, scope?.paths, forSearch, context, signal)
  const { index } = indexNote(
    await context.code.status(),
    'Files that mention the words were read directly; others may be missing',
  )
  const found: Investigation = {
    objective: args.objective,
    method: 'search',
    summary: '',
    findings: looked.findings,
    related: looked.related,
    meta: {
      scope: args.scope,
      turns: 0,
      max_turns: turns.value,
      tool_calls: looked.calls,
      max_tool_calls: calls.value,
      evidence_checked: looked.findings.reduce((sum, { evidence }) => sum + evidence.length, 0),
      evidence_dropped: 0,
      findings_dropped: 0,
      cancelled: false,
      elapsed_ms: 0,
    },
    notes: [
      turns.note,
      calls.note,
      ...looked.notes,
      scope?.note ?? '',
      index ?? '',
      looked.findings.length === 0 && !signal.aborted ? nothingFound : '',
    ].filter((note) => note !== ''),
  }
  const left = calls.value - looked.calls
  if (!context.subAgent || signal.aborted) return found
  if (left < 1)
    return { ...found, notes: [...found.notes, 'The model was not asked: the search used up `max_tool_calls`.'] }
  return askModel(found, { context, subAgent: context.subAgent, inScope: scope?.matches ?? (() => true), left, signal })
}

interface Asking {
  context: ToolContext
  subAgent: NonNullable<ToolContext['subAgent']>
  inScope(path: string): boolean
  /** Calls that may still be made. */
  left: number
  signal: AbortSignal
}

/** Lets the model look further. Its findings stand in place of those of the search when their evidence is there. */
async function askModel(
  found: Investigation,
  { context, subAgent, inScope, left, signal }: Asking,
): Promise<Investigation> {
  const { meta, notes } = found
  const keep = (why: string): Investigation => ({
    ...found,
    notes: [...notes, `${why} These are the findings of a search by words, symbols and calls.`],
  })
  const limits = { turns: meta.max_turns, calls: left }
  try {
    const end = await subAgent({
      system: investigationPrompt,
      question: investigationQuestion(found.objective, meta.scope, found.findings, limits),
      tools: investigationTools,
      maxTurns: limits.turns,
      maxToolCalls: limits.calls,
      signal,
      onCall: (name, given) => context.progress({ kind: 'text', text: `${name} ${given}\n` }),
    })
    meta.turns = end.turns
    meta.tool_calls += end.toolCalls
    if (end.ended === 'failed') return keep(`The model failed: ${end.problem}`)
    if (end.ended === 'limit') return keep(end.problem || 'The model did not come to an answer within its turns.')
    const claims = readClaims(end.text)
    if (!claims) return keep('The model did not answer with findings that can be read.')
    const checked = await checkClaims(claims, { documents: context.documents, inScope, signal })
    meta.evidence_dropped = checked.dropped
    meta.findings_dropped = checked.findingsDropped
    if (checked.findings.length === 0) return keep('Nothing the model gave as evidence is there.')
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
    return keep('The model had not answered by then.')
  }
}

/** The files of a scope; undefined for everything. Throws `invalid_pattern`, and `not_found` for a scope without files. */
async function scopeOf(
  globs: readonly string[],
  { search, signal }: ToolContext,
): Promise<{ paths: string[]; matches(path: string): boolean; note: string } | undefined> {
  const filter = globFilter(globs)
  if (!filter || globs.every((glob) => [everything, '**', '*', '.'].includes(glob.trim()))) return undefined
  const { paths } = await search.files({ maxResults: mostFiles }, { signal })
  const inScope = paths.filter((path) => filter.matches(path))
  if (inScope.length === 0)
    throw new ToolError(
      'not_found',
      `No file matches the scope ${globs.join(', ')}.`,
      'Leave `scope` out, or look at the folders with list_dir.',
    )
  const note =
    paths.length < mostFiles
      ? ''
      : `Only the first ${formatNumber(mostFiles)} files of the workspace were compared with \`scope\`.`
  return { paths: inScope, matches: filter.matches, note }
}
