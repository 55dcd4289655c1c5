import type { FileDiff } from '../../../shared/tools/tool.ts'
import { request } from '../bridge/bridge.ts'
import { openDiff, openFile } from './editorService.ts'
import { documents } from './documents/windowDocuments.ts'
import { attempt } from '../notices.ts'

/** Opens a file in the editor. Line and column are 1-based. Shows a notice on failure. */
export function openLocation(path: string, line?: number, column?: number): void {
  attempt(() => openFile(path, line === undefined ? undefined : { line, column: column ?? 1 }))
}

/**
 * Opens a change as a full diff: of the whole file if it can be reconstructed, otherwise of the changed sections.
 * @param what what changed the file, for the title
 */
export function openChange(file: FileDiff, what = 'edit'): void {
  attempt(async () => {
    const [{ rebuildSides }, { parseUnifiedDiff }] = await Promise.all([
      import('../../../shared/diff/rebuildSides.ts'),
      import('../../../shared/diff/unifiedDiff.ts'),
    ])
    const { original, modified, partial } = rebuildSides(parseUnifiedDiff(file.diff), await currentText(file.path))
    const name = file.path.slice(file.path.lastIndexOf('/') + 1)
    openDiff({
      title: partial ? `${name} (${what}, changed sections)` : `${name} (${what})`,
      path: file.path,
      original,
      modified,
      counts: { added: file.added, removed: file.removed },
    })
  })
}

/** Returns the text of the open tab, or else of the file, with `\n` line endings; null if it cannot be read. */
async function currentText(path: string): Promise<string | null> {
  const open = documents.buffer(path)
  if (open) return open.text()
  try {
    return (await request('files.read', { path })).text.replaceAll('\r\n', '\n')
  } catch {
    // A created or deleted file may not exist. The diff then contains its whole text.
    return null
  }
}
