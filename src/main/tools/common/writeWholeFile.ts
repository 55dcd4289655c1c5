import type { FileDiff } from '../../../shared/tools/tool.ts'
import { diffOf } from '../../edit/editRunner.ts'
import { normalizeText } from '../../base/textFormat.ts'
import type { ToolContext, ToolOutput, ToolPreview } from './toolDefinition.ts'
import { lineCountText, storeForUndo } from './undoableChanges.ts'
import { textLines } from './textLines.ts'
import { refuseUnsaved } from './refuseUnsaved.ts'

interface WholeFile {
  path: string
  content: string
}

/** Returns the diff that `writeWholeFile` would make. Throws the same errors. */
export async function previewWholeFile({ path, content }: WholeFile, context: ToolContext): Promise<ToolPreview> {
  const { exists, relative } = await context.workspace.resolve(path, { missing: 'allow' })
  await refuseUnsaved(path, context)
  const before = exists ? (await context.documents.read(path, context.signal)).text : null
  const change = await diffOf(relative, before, normalizeText(content).text, context.signal)
  return { view: { kind: 'diff', files: [change] } }
}

/** Creates a text file, with its folders, or replaces its whole content. */
export async function writeWholeFile(file: WholeFile, context: ToolContext): Promise<ToolOutput> {
  const files: FileDiff[] = []
  let lines = 0
  const { path, created, before, after } = await context.documents.write(
    file.path,
    file.content,
    context.signal,
    // The diff is made before the file changes, so that nothing can fail afterwards.
    async (planned) => {
      files.push(await diffOf(planned.path, planned.before, planned.after, context.signal))
      lines = textLines(planned.after).length
    },
  )
  if (before === after)
    return { text: `"${path}" already has this content (${lineCountText(lines)}).`, view: { kind: 'diff', files } }
  const { editId, note } = storeForUndo([{ path, before, after }], context)
  const [change] = files
  const text =
    created || !change
      ? `Created "${path}" with ${lineCountText(lines)}.`
      : `Replaced "${path}": ${lineCountText(change.added)} added, ${lineCountText(change.removed)} removed.`
  return { text: note ? `${text} ${note}` : text, view: { kind: 'diff', files, editId, note } }
}
