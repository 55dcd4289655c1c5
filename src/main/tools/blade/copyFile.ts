import { z } from 'zod'
import type { FileDiff } from '../../../shared/tools/tool.ts'
import { fileDiff } from '../../edit/fileDiff.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'
import { refuseUnsaved } from '../common/refuseUnsaved.ts'
import { storeForUndo, sameFormat, readUndoText, changeWithoutDiff, type UndoText } from '../common/undoableChanges.ts'

function copyDiff(to: string, { before, after }: CopiedTexts): FileDiff {
  return after === null ? changeWithoutDiff(to, 'created') : fileDiff(to, before?.text ?? null, after.text)
}

/** Text of the destination before and after, or null if it is not a small text file. */
interface CopiedTexts {
  before: UndoText | null
  after: UndoText | null
}

async function textsOf(args: { source: string; destination: string }, context: ToolContext): Promise<CopiedTexts> {
  const source = await context.workspace.resolve(args.source)
  return { before: await readUndoText(args.destination, context), after: await readUndoText(source.absolute, context) }
}

export const copyFile = defineTool({
  name: 'copy_file',
  title: 'Copy file',
  description:
    'Copies a file, or a directory with everything in it, as saved on disk. Creates missing folders of the destination. ' +
    'Refuses to replace a file unless overwrite is true.',
  risk: 'destructive',
  riskOf: (args) => (args.overwrite ? 'destructive' : 'write'),
  schema: () =>
    z.object({
      source: z.string().describe('File or directory to copy, relative to the workspace.'),
      destination: z.string().describe('Full path of the copy including its name, not its folder.'),
      overwrite: z.boolean().default(false).describe('Replace an existing file, never a directory.'),
    }),
  writes: (args) => [args.destination],
  writesBelow: (args) => [args.source],
  renames: ({ source, destination }) => ({ source, destination }),
  examples: [{ source: 'templates/base.html', destination: 'src/templates/base.html' }],
  async preview(args, context) {
    await refuseUnsaved(args.source, context)
    await refuseUnsaved(args.destination, context)
    await context.files.check({ kind: 'copy', ...args })
    const texts = await textsOf(args, context)
    const target = await context.workspace.resolve(args.destination, { missing: 'allow', symlink: 'keep' })
    return { view: { kind: 'diff', files: [copyDiff(target.relative, texts)] } }
  },
  reads: ({ source }) => [source],
  async run(args, context) {
    await refuseUnsaved(args.source, context)
    await refuseUnsaved(args.destination, context)
    const texts = await textsOf(args, context)
    const { before, after } = texts
    const target = await context.workspace.resolve(args.destination, { missing: 'allow', symlink: 'keep' })
    const change = copyDiff(target.relative, texts)
    const { from, to, directory, replaced, skipped } = await context.files.copy(
      args.source,
      args.destination,
      { overwrite: args.overwrite, replaces: before?.stamp },
      context.signal,
    )
    const canUndo = after !== null && (before ? sameFormat(before, after) : !replaced)
    const undo = canUndo
      ? storeForUndo([{ path: to, before: before?.text ?? null, after: after.text, mode: before?.mode }], context)
      : {}
    const skippedText = skipped.length > 0 ? ` Skipped, because they cannot be copied: ${skipped.join(', ')}.` : ''
    return {
      text: `Copied ${directory ? 'the directory ' : ''}"${from}" to "${to}"${replaced ? ', replacing the existing file' : ''}.${skippedText}`,
      view: { kind: 'diff', files: [change], ...undo },
    }
  },
})
