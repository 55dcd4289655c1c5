import { toWorkspacePath } from '../../shared/git/git.ts'
import { showConflicts } from '../platform/editor/conflict/showConflicts.ts'
import type { EditorExtension } from '../platform/editor/editorExtensions.ts'
import { pathOf, type monaco } from '../platform/editor/monaco/monaco.ts'
import { repositoryOf, useGit } from '../platform/git/gitStore.ts'

function isInConflict(editor: monaco.editor.IStandaloneCodeEditor): boolean {
  const model = editor.getModel()
  const path = model && pathOf(model.uri)
  const found = path === null ? null : repositoryOf(path)
  const status = found && useGit.getState().statuses[found.repository.id]
  return status?.groups.merge.some((change) => toWorkspacePath(status.repository, change.path) === path) ?? false
}

/** Shows conflicts in the code editor of a file in the merge group. */
export const conflictMarks: EditorExtension = (editor) => {
  let active = isInConflict(editor)
  const shown = showConflicts(editor, {
    isActive: () => {
      active = isInConflict(editor)
      return active
    },
  })
  const stop = useGit.subscribe(({ statuses }, before) => {
    if (statuses !== before.statuses && isInConflict(editor) !== active) shown.refresh()
  })
  return {
    dispose() {
      stop()
      shown.dispose()
    },
  }
}
