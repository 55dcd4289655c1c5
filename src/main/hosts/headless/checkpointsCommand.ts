import { openCore, type CommandContext } from './commandContext.ts'
import { parseCheckpoints } from './commandOptions.ts'
import { exitCodes } from './commandHelp.ts'

/**
 * `tizona checkpoints list|show|restore`: lists the checkpoints of a folder, shows the changes since one, or restores one. Prints
 * one JSON object per line. @returns `failed` if a file could not be restored. @throws UsageError
 */
export async function checkpoints(args: readonly string[], context: CommandContext): Promise<number> {
  const asked = await parseCheckpoints(args)
  const core = await openCore(context)
  const { output, interrupted } = context
  try {
    await core.openWorkspace(asked.workspace)
    const kept = core.checkpoints()
    if (asked.action === 'list') {
      for (const { id, at, reason, conversationId, paths, files, omittedCount } of kept.list()) {
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
    if (asked.action === 'show') {
      for (const change of await kept.changes(asked.id, interrupted)) output.json(change)
      return exitCodes.done
    }
    const { before, written, removed, skipped } = await kept.restore(asked.id, {}, interrupted)
    output.json({ before, written, removed, skipped })
    return skipped.length > 0 ? exitCodes.failed : exitCodes.done
  } finally {
    await core.dispose()
  }
}
