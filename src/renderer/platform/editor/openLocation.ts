import type { FileDiff } from '../../../shared/tool.ts'
import { request } from '../bridge/bridge.ts'
import { openDiff, openFile } from './editorService.ts'
import { documents } from './windowDocuments.ts'
import { rebuildSides } from '../../ui/diff/rebuildSides.ts'
import { parseUnifiedDiff } from '../../ui/diff/unifiedDiff.ts'
import { attempt } from '../notices.ts'

/** Opens a file in the editor. Line and column are 1-based. Shows a notice on failure. */
export function openLocation(path: string, line?: number, column?: number): void {
  attempt(() => openFile(path, line === undefined ? undefined : { line, column: column ?? 1 }))
}

/** Opens a diff tab for a change: the complete file if it can be reconstructed, otherwise the changed sections. */
export function openChange(file: FileDiff): void {
  attempt(async () => {
    const { original, modified, partial } = rebuildSides(parseUnifiedDiff(file.diff), await currentText(file.path))
    const name = file.path.slice(file.path.lastIndexOf('/') + 1)
    openDiff({ title: `${name} (${partial ? 'changed sections' : 'changes'})`, path: file.path, original, modified })
  })
}

/** The text of the open tab or the file, with `\n` line ends. @returns null if the file does not exist */
async function currentText(path: string): Promise<string | null> {
  const open = documents.buffer(path)
  if (open) return open.text()
  try {
    return (await request('files.read', { path })).text.replaceAll('\r\n', '\n')
  } catch {
    // The change may create or delete the file. The diff contains its text.
    return null
  }
}
