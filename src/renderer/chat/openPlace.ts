import { openFile } from '../editor/actions.ts'
import { attempt } from '../workbench/notices.ts'

/** Shows a place that a conversation names in the editor. Line and column are 1-based. */
export function openPlace(path: string, line?: number, column?: number): void {
  attempt(() => openFile(path, line === undefined ? undefined : { line, column: column ?? 1 }))
}
