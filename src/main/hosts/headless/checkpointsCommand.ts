import { openCore, type CommandContext } from './commandContext.ts'
import { parseCheckpoints } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'

/**
 * `tizona checkpoints list|show|restore`: lists the checkpoints of a folder, shows the changes since one, or restores
 * one. Prints one JSON object per line.
 * @returns `failed` if a file could not be restored
 * @throws UsageError
 */
export async function checkpointsCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const options = await parseCheckpoints(args)
  const core = await openCore(context)
  const { output, interrupted } = context
  try {
    await core.openWorkspace(options.workspace)
    const stored = core.checkpoints()
    if (options.action === 'list') {
      for (const { id, at, reason, conversationId, paths, files, omittedCount } of stored.list()) {
        output.json({
          id,
          at: new Date(at).toISOString(),
          reason,
          conversation: conversationId,
          paths,
          files,
          not_kept: omittedCount,
        })
      }
      return exitCodes.done
    }
    if (options.action === 'show') {
      for (const change of await stored.changes(options.id, interrupted)) output.json(change)
      return exitCodes.done
    }
    const { before, written, removed, skipped } = await stored.restore(options.id, {}, interrupted)
    output.json({ before, written, removed, skipped })
    return skipped.length > 0 ? exitCodes.failed : exitCodes.done
  } finally {
    await core.dispose()
  }
}
