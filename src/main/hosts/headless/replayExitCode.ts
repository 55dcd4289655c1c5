import { plural } from '../../../shared/text/plural.ts'
import type { RecordedCallCounts } from '../../playback/recordedModel.ts'
import { exitCodes } from './commandHelp.ts'

/**
 * Prints to standard error which calls of the file were not replayed.
 * @returns `failed` if a result differs, or if the file has calls and none was replayed: nothing was compared then
 */
export function replayExitCode(
  { inFile, unassigned }: RecordedCallCounts,
  { replayed, different }: { replayed: number; different: number },
): number {
  if (inFile === 0) console.error('The file has no tool calls.')
  else if (unassigned > 0)
    console.error(
      unassigned === 1
        ? '1 call in the file belongs to no answer of the model, so it was not replayed.'
        : `${plural(unassigned, 'call')} in the file belong to no answer of the model, so they were not replayed.`,
    )
  else if (replayed === 0)
    console.error('No call was replayed: the calls in the file never ran, or need a model or an MCP server.')
  return different > 0 || (inFile > 0 && replayed === 0) ? exitCodes.failed : exitCodes.done
}
