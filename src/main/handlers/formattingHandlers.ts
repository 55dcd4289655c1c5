import { readEditorConfig } from '../formatting/editorConfig.ts'
import type { ProjectFormatter } from '../formatting/projectFormatter.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { Handlers } from './handlers.ts'

/** Handles requests of the editor about the format of files. */
export function createFormattingHandlers(
  current: () => { workspace: Workspace; formatter: ProjectFormatter },
): Pick<Handlers, 'files.editorConfig' | 'files.format'> {
  return {
    'files.editorConfig': ({ path }) => readEditorConfig(current().workspace, path),
    'files.format': ({ path, text }, signal) => current().formatter.format(path, text, signal),
  }
}
