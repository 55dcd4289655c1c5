import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { storeForUndo, sameFormat, readUndoText, changeWithoutDiff } from '../common/undoableChanges.ts'
import { refuseUnsaved } from '../common/refuseUnsaved.ts'

export const moveFile = defineTool({
  name: 'move_file',
  title: 'Move file',
  description:
    'Moves or renames a file or directory. Creates missing folders of the destination. Refuses to replace a file unless overwrite is true.',
  risk: 'destructive',
  riskOf: (args) => (args.overwrite ? 'destructive' : 'write'),
  schema: () =>
    z.object({
      source: z.string().describe('File or directory to move, relative to the workspace.'),
      destination: z.string().describe('Full new path including its name, not its folder.'),
      overwrite: z.boolean().default(false).describe('Replace an existing file, never a directory.'),
    }),
  writes: (args) => [args.source, args.destination],
  writesBelow: (args) => [args.source],
  renames: ({ source, destination }) => ({ source, destination }),
  examples: [{ source: 'src/old_name.rs', destination: 'src/new_name.rs' }],
  async preview(args, context) {
    await refuseUnsaved(args.source, context)
    await refuseUnsaved(args.destination, context)
    await context.files.check({ kind: 'move', ...args })
    const source = await context.workspace.resolve(args.source, { symlink: 'keep' })
    const target = await context.workspace.resolve(args.destination, { missing: 'allow', symlink: 'keep' })
    return { view: { kind: 'diff', files: [changeWithoutDiff(target.relative, 'renamed', source.relative)] } }
  },
  async run(args, context) {
    await refuseUnsaved(args.source, context)
    await refuseUnsaved(args.destination, context)
    const replacedText = args.overwrite ? await readUndoText(args.destination, context) : null
    const movedText = replacedText && (await readUndoText(args.source, context))
    const { from, to, replaced } = await context.files.move(
      args.source,
      args.destination,
      { overwrite: args.overwrite, replaces: replacedText?.stamp },
      context.signal,
    )
    // Only a replaced file needs undo data. A plain move can be undone by another move.
    const undo =
      replaced && replacedText && typeof movedText?.restorable === 'string' && sameFormat(replacedText, movedText)
        ? storeForUndo(
            [
              { path: from, before: movedText.restorable, after: null, mode: movedText.mode },
              { path: to, before: replacedText.text, after: movedText.text, mode: replacedText.mode },
            ],
            context,
          )
        : {}
    return {
      text: `Moved "${from}" to "${to}"${replaced ? ', replacing the existing file' : ''}.`,
      view: { kind: 'diff', files: [changeWithoutDiff(to, 'renamed', from)], ...undo },
    }
  },
})
