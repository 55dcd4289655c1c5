import { toFailure } from '../../../../shared/errors.ts'
import type { RankedPassage } from '../../../code/index/codeIndex.ts'
import type { RankByMeaning } from '../../../model/embeddings/meaningRanking.ts'
import type { ToolContext } from '../../toolDefinition.ts'

/**
 * Maximum characters of a passage that are ranked. Many embedding models read at most 512 tokens, and servers refuse
 * longer texts.
 */
const maxCharacters = 800

interface OrderDeps extends Pick<ToolContext, 'documents'> {
  rank: RankByMeaning
}

/** Orders passages by their meaning too. The order of the search remains if the model is late or fails. */
export async function orderByMeaning(
  question: string,
  passages: readonly RankedPassage[],
  { documents, rank }: OrderDeps,
  signal: AbortSignal,
): Promise<readonly RankedPassage[]> {
  const files = new Map<string, Promise<string[]>>()
  const linesOf = (path: string): Promise<string[]> => {
    const lines = files.get(path) ?? read(path)
    files.set(path, lines)
    return lines
  }
  async function read(path: string): Promise<string[]> {
    try {
      return (await documents.read(path, signal)).text.split('\n')
    } catch (error) {
      if (toFailure(error).code === 'not_found') return []
      throw error
    }
  }
  const scored = await Promise.all(
    passages.map(async ({ path, line, end_line, qualified, score }) => {
      const lines = (await linesOf(path)).slice(line - 1, end_line)
      return { text: [path, qualified ?? '', ...lines].join('\n').slice(0, maxCharacters), score }
    }),
  )
  const order = await rank(question, scored, signal)
  return order?.flatMap((at) => passages[at] ?? []) ?? passages
}
