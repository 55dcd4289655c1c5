import { z } from 'zod'
import { fileDiff } from '../../edit/diff.ts'
import type { ToolView } from '../../../shared/tool.ts'
import { defineTool } from '../tool.ts'
import { refuseUnsaved, textToKeep, wholeChange, type KeptText } from './fileChanges.ts'

function deletion(path: string, kept: KeptText | null, editId?: string): ToolView {
  const file = kept ? fileDiff(path, kept.text, null) : wholeChange(path, 'deleted')
  return { kind: 'diff', files: [file], ...(typeof kept?.restorable === 'string' ? { editId } : { note: 'This cannot be taken back.' }) }
}

export const deleteFile = defineTool({
  name: 'delete_file',
  title: 'Delete file',
  description: 'Deletes a file, or with recursive: true a directory and everything in it. A symbolic link is deleted itself, not what it points to.',
  risk: 'destructive',
  schema: z.object({
    path: z.string().describe('File or directory to delete, relative to the workspace or absolute inside it.'),
    recursive: z.boolean().default(false).describe('Needed to delete a directory.'),
  }),
  writes: (args) => [args.path],
  examples: [{ path: 'temp/old_file.txt' }],
  async preview(args, context) {
    const { relative } = await context.workspace.resolve(args.path, { symlink: 'keep' })
    return { view: deletion(relative, await textToKeep(args.path, context)) }
  },
  async run(args, context) {
    await refuseUnsaved(args.path, context)
    const kept = await textToKeep(args.path, context)
    context.signal.throwIfAborted()
    const { path, type } = await context.files.delete(args.path, { recursive: args.recursive })
    const before = kept?.restorable ?? null
    const editId = before === null ? undefined : context.journal.record(context.callId, [{ path, before, after: null }])
    const what = type === 'directory' ? 'the directory ' : type === 'symlink' ? 'the symbolic link ' : ''
    return { text: `Deleted ${what}"${path}"${type === 'directory' ? ' and everything in it' : ''}.`, view: deletion(path, kept, editId) }
  },
})
