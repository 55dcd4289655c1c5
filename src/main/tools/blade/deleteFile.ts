import { z } from 'zod'
import { fileDiff } from '../../edit/fileDiff.ts'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { storeForUndo, readUndoText, changeWithoutDiff, type UndoText } from '../common/undoableChanges.ts'
import { refuseUnsaved } from '../common/refuseUnsaved.ts'

function deletionDiff(path: string, kept: UndoText | null): FileDiff {
  return kept ? fileDiff(path, kept.text, null) : changeWithoutDiff(path, 'deleted')
}

const cannotUndo = { note: 'This cannot be undone.' }

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete file',
  description:
    'Deletes a file, or with recursive: true a directory and everything in it. Deletes a symbolic link itself, not its target.',
  risk: 'destructive',
  schema: () =>
    z.object({
      path: z.string().describe('File or directory to delete, relative to the workspace.'),
      recursive: z.boolean().default(false).describe('Required to delete a directory.'),
    }),
  writes: (args) => [args.path],
  writesBelow: (args) => (args.recursive ? [args.path] : []),
  examples: [{ path: 'temp/old_file.txt' }],
  async preview(args, context) {
    await refuseUnsaved(args.path, context)
    await context.files.check({ kind: 'delete', ...args })
    const { relative } = await context.workspace.resolve(args.path, { symlink: 'keep' })
    const kept = await readUndoText(args.path, context)
    return {
      view: {
        kind: 'diff',
        files: [deletionDiff(relative, kept)],
        ...(typeof kept?.restorable === 'string' ? {} : cannotUndo),
      },
    }
  },
  async run(args, context) {
    await refuseUnsaved(args.path, context)
    const kept = await readUndoText(args.path, context)
    const { relative } = await context.workspace.resolve(args.path, { symlink: 'keep' })
    const files = [deletionDiff(relative, kept)]
    context.signal.throwIfAborted()
    const { path, type } = await context.files.delete(args.path, { recursive: args.recursive, expected: kept?.stamp })
    const before = kept?.restorable ?? null
    const undo = before === null ? cannotUndo : storeForUndo([{ path, before, after: null, mode: kept?.mode }], context)
    const what = type === 'directory' ? 'the directory ' : type === 'symlink' ? 'the symbolic link ' : ''
    return {
      text: `Deleted ${what}"${path}"${type === 'directory' ? ' and everything in it' : ''}.`,
      view: { kind: 'diff', files, ...undo },
    }
  },
})
