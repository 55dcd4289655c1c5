import type { JsonSchema } from '../../../../shared/tools/tool.ts'
import type { Finding } from './modelFindings.ts'

/** Tools for the model: enough to find and read code, few enough for small models. */
export const investigationTools: readonly string[] = [
  'grep_search',
  'read_file_range',
  'find_files',
  'list_dir',
  'symbol_search',
  'symbol_outline',
  'symbol_graph',
]

/** System prompt of the sub-agent that investigates. */
export const investigationPrompt = [
  'You investigate a code base for a colleague. Use the tools to find and read the code that answers the objective; you cannot change anything.',
  'Every statement needs evidence: a file, a line number and the exact text of that line. Evidence is verified, and evidence that does not exist is discarded.',
  'When you know enough, answer only with this JSON:',
  '{"summary": "the answer in a few sentences", "findings": [{"title": "what is done where", "detail": "how", "confidence": "high|medium|low", "evidence": [{"path": "src/a.ts", "line": 12, "quote": "the line"}]}]}',
].join('\n')

const text = { type: 'string' }
const object = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

/** Schema of the JSON in `investigationPrompt`. */
export const answerSchema: JsonSchema = object({
  summary: text,
  findings: list(
    object({
      title: text,
      detail: text,
      confidence: { type: 'string', enum: ['high', 'medium', 'low'] },
      evidence: list(object({ path: text, line: { type: 'integer' }, quote: text })),
    }),
  ),
})

/** Formats the objective with known locations, so that small models need not search first. */
export function investigationQuestion(
  objective: string,
  scope: readonly string[],
  found: readonly Finding[],
  limits: { turns: number; calls: number },
): string {
  const places = found.map(
    ({ title, evidence }) =>
      `- ${title}: ${evidence
        .slice(0, 3)
        .map(({ path, line, text }) => `${path}:${line} \`${text}\``)
        .join(', ')}`,
  )
  return [
    `Objective: ${objective}`,
    `Scope: ${scope.join(', ')}`,
    `You have ${limits.turns} turns and ${limits.calls} tool calls.`,
    ...(places.length === 0
      ? []
      : ['A search for words found these locations, which may or may not be relevant:', ...places]),
  ].join('\n')
}
