import { z } from 'zod'
import type { FileDiff } from '../../../shared/tool.ts'
import { diffOf } from '../../edit/editRunner.ts'
import { normaliseText } from '../../workspace/textFormat.ts'
import { defineTool } from '../tool.ts'
import { countLines, keepForUndo, refuseUnsaved } from '../common/fileChanges.ts'
import { textLines } from '../common/textLines.ts'
import { pathAliases } from './parameterAliases.ts'

export const writeFile = defineTool({
  name: 'write_file',
  aliases: ['create_file'],
  title: 'Write file',
  description:
    'Writes a whole text file, creating it and its folders or replacing what it held. To change parts of a file use apply_patch. ' +
    'A file that exists keeps its encoding, line endings and permissions.',
  risk: 'write',
  schema: z.object({
    path: z.string().describe('File to write, relative to the workspace or absolute inside it.'),
    content: z.string().describe('Everything the file shall hold.'),
  }),
  parameterAliases: { ...pathAliases, contents: 'content', text: 'content', data: 'content' },
  writes: (args) => [args.path],
  examples: [{ path: 'src/new_module.rs', content: 'pub fn hello() {\n    println!("Hello!");\n}\n' }],
  async preview(args, context) {
    const { exists, relative } = await context.workspace.resolve(args.path, { missing: 'allow' })
    await refuseUnsaved(args.path, context)
    const before = exists ? (await context.documents.read(args.path, context.signal)).text : null
    return {
      view: { kind: 'diff', files: [await diffOf(relative, before, normaliseText(args.content).text, context.signal)] },
    }
  },
  async run(args, context) {
    const files: FileDiff[] = []
    let lines = 0
    // Before the file changes, so that nothing can fail once it has.
    const { path, created, before, after } = await context.documents.write(
      args.path,
      args.content,
      context.signal,
      async (planned) => {
        files.push(await diffOf(planned.path, planned.before, planned.after, context.signal))
        lines = textLines(planned.after).length
      },
    )
    if (before === after)
      return { text: `"${path}" held exactly this already (${countLines(lines)}).`, view: { kind: 'diff', files } }
    const { editId, note } = keepForUndo([{ path, before, after }], context)
    const [change] = files
    const text =
      created || !change
        ? `Created "${path}" with ${countLines(lines)}.`
        : `Replaced "${path}": ${countLines(change.added)} added, ${countLines(change.removed)} removed.`
    return { text: note ? `${text} ${note}` : text, view: { kind: 'diff', files, editId, note } }
  },
})
