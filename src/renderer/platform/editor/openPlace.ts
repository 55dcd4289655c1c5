import type { FileDiff } from '../../../shared/tool.ts'
import { request } from '../bridge/bridge.ts'
import { openDiff, openFile } from './editorService.ts'
import { documents } from './windowDocuments.ts'
import { rebuildSides } from '../../ui/diff/rebuildSides.ts'
import { parseUnifiedDiff } from '../../ui/diff/unifiedDiff.ts'
import { attempt } from '../notices.ts'

/** Shows a place that a conversation names in the editor. Line and column are 1-based. */
export function openPlace(path: string, line?: number, column?: number): void {
  attempt(() => openFile(path, line === undefined ? undefined : { line, column: column ?? 1 }))
}

/** Shows a change side by side in a tab: the whole file where it can be rebuilt, else the changed places. */
export function openChange(file: FileDiff): void {
  attempt(async () => {
    const { original, modified, partial } = rebuildSides(parseUnifiedDiff(file.diff), await textNow(file.path))
    const name = file.path.slice(file.path.lastIndexOf('/') + 1)
    openDiff({ title: `${name} (${partial ? 'changed places' : 'change'})`, path: file.path, original, modified })
  })
}

/** The text of the open tab, else of the file, with `\n` line ends; null where there is none to read (not made yet, or deleted). */
async function textNow(path: string): Promise<string | null> {
  const open = documents.buffer(path)
  if (open) return open.text()
  try {
    return (await request('files.read', { path })).text.replaceAll('\r\n', '\n')
  } catch {
    // A change may be the making or the deletion of a file; the diff has its text.
    return null
  }
}
