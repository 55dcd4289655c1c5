import { z } from 'zod'
import { diffOf } from '../../edit/editRunner.ts'
import { editPlace, placedOperations } from '../../edit/placedEdit.ts'
import type { TextDocument } from '../../workspace/documents.ts'
import { keepForUndo } from '../blade/fileChanges.ts'
import { defineTool, type ToolContext } from '../tool.ts'
import { findSmartPlace } from './smartPlace.ts'

interface SmartEdit {
  path: string
  location: string
  operation: (typeof placedOperations)[number]
  content?: string
}

/** The diff is what the model sees of its edit, whole for all but the largest. UTF-16 units. */
const maxDiffLength = 20_000

export const smartEdit = defineTool({
  name: 'smart_edit',
  title: 'Smart edit',
  description:
    'Edits one place of a file. location is "line 42", "lines 10-20", the name of a function, class or other symbol (its whole definition is '
    + 'meant), a text that stands in the file, or a description such as "the function that handles authentication". Acts only where one place is '
    + 'clearly meant, else lists the candidates. Keeps a checkpoint of the file before and shows the diff.',
  risk: 'write',
  schema: z.object({
    path: z.string().describe('File to edit, relative to the workspace or absolute inside it.'),
    location: z.string().describe('Line numbers, a symbol\'s name, a text of the file, or a description of the place.'),
    operation: z.enum(placedOperations).describe('What to do with the place. The insertions go to lines of their own.'),
    content: z.string().optional().describe('New text, for all operations but delete. Without indentation it is given that of the place.'),
  }),
  writes: (args) => [args.path],
  examples: [
    { path: 'src/main.rs', location: 'fn greet', operation: 'replace', content: 'fn greet() {\n    println!("Good morning");\n}' },
    { path: 'src/main.rs', location: 'the function that runs one command', operation: 'insert_after', content: '\nfn quit() {}' },
    { path: 'src/lib.rs', location: 'retries', operation: 'delete' },
  ],
  async preview(args, context) {
    const { base, change, how } = await plan(args, context)
    return { view: { kind: 'diff', files: [change], unsaved: base.unsaved, note: `Found ${how}.` } }
  },
  async run(args, context) {
    const { base, after, change, how, lines } = await plan(args, context)
    const reason = `before smart_edit of ${base.path}`
    const { conversationId, signal } = context
    const checkpoint = await context.checkpoints.take({ reason, conversationId, paths: [base.path] }, signal)
    const outcome = await context.documents.edit(base, after, context.signal)
    const { editId, note } = keepForUndo([{ path: outcome.path, before: base.text, after: outcome.after }], context)
    const unsaved = outcome.unsaved
      ? ' in the open tab; the tab has unsaved changes of the user and stays unsaved, nothing was written to disk'
      : ''
    const [omitted] = checkpoint.leftOut
    const said = omitted ? ` The checkpoint does not hold it: ${omitted.why}.` : ` Checkpoint ${checkpoint.id} holds it as it was on disk.`
    const text = `Changed "${outcome.path}"${unsaved} at ${lines}, found ${how}.${said}${note ? `\n${note}` : ''}\n\n${shortened(change.diff)}`
    const remarks = [`Found ${how}.`, note].filter(Boolean).join(' ')
    return { text, view: { kind: 'diff', files: [change], editId, unsaved: outcome.unsaved, note: remarks } }
  },
})

async function plan(args: SmartEdit, context: ToolContext) {
  const { path, location, operation, content } = args
  const base: TextDocument = await context.documents.read(path, context.signal)
  const symbols = async () => (await context.code.outline(base.path, context.signal)).symbols
  const described = (description: string) => context.code.describedPlace(base.path, base.text, description, context.signal)
  const { place, how } = await findSmartPlace({ path: base.path, text: base.text, location, operation, content, symbols, described })
  const after = editPlace(base.text, place, operation, content)
  const change = await diffOf(base.path, base.text, after, context.signal)
  const { startLine, endLine } = place
  return { base, after, change, how, lines: startLine === endLine ? `line ${startLine}` : `lines ${startLine}-${endLine}` }
}

function shortened(diff: string): string {
  if (diff.length <= maxDiffLength) return diff.trimEnd()
  const kept = diff.slice(0, diff.lastIndexOf('\n', maxDiffLength))
  return `${kept}\n[… ${diff.slice(kept.length).split('\n').length} more lines of the diff …]`
}
