import { truncateOutput } from '../common/truncateOutput.ts'
import type { ToolOutput } from '../toolDefinition.ts'

/** Maximum command output in bytes, from the document of Bash. */
const commandBytes = 30_000
/** Maximum size in bytes of other results: the 100 KB of HttpFetch, the largest limit in the documents. */
const resultBytes = 102_400

/** Truncates by UltraSushiTron's limits. */
export function truncateUltraSushiTron(output: ToolOutput): { text: string; truncated: boolean } {
  const maxBytes = output.view?.kind === 'command' ? commandBytes : resultBytes
  return truncateOutput(output, { maxBytes, readMoreHint: 'To read what is missing, read a smaller part' })
}
