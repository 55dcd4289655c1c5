import type { Finding } from './findings.ts'

/** What the model may use: enough to find and read, few enough for a small model to choose from. */
export const investigationTools: readonly string[] = [
  'grep_search',
  'read_file_range',
  'find_files',
  'list_dir',
  'symbol_search',
  'symbol_outline',
  'symbol_graph',
]

export const investigationPrompt = [
  'You investigate a code base for a colleague. Use the tools to find and read the code that answers the objective; you cannot change anything.',
  'Every statement needs evidence: a file, a line number and that line exactly as it stands there. Evidence is checked, and what is not there is thrown away.',
  'When you know enough, answer with this JSON and nothing else:',
  '{"summary": "the answer in a few sentences", "findings": [{"title": "what is done where", "detail": "how", "confidence": "high|medium|low", "evidence": [{"path": "src/a.ts", "line": 12, "quote": "the line"}]}]}',
].join('\n')

/** The objective with places to begin at, so that a small model does not have to search first. */
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
      : ['A search by words found these places; they may or may not be the ones:', ...places]),
  ].join('\n')
}
