import { truncateOutput } from '../common/truncateOutput.ts'
import type { ToolOutput } from '../tool.ts'

/** Bytes of a command's output, from the document of Bash. */
const commandBytes = 30_000
/** Bytes of any other result: the largest that its documents name is the 100 KB of HttpFetch. */
const resultBytes = 102_400

/** UltraSushiTron's caps. */
export function truncateUltraSushiTron(output: ToolOutput): { text: string; truncated: boolean } {
  const maxBytes = output.view?.kind === 'command' ? commandBytes : resultBytes
  return truncateOutput(output, { maxBytes, next: 'To see what is missing, ask for a smaller part' })
}
