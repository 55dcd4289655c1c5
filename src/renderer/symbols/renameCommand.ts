import { ToolError, toFailure } from '../../shared/errors.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { notifyLinkedUndo } from '../platform/editor/documents/linkedUndo.ts'
import { attempt, notify, notifyFailure } from '../platform/notices.ts'
import { requestCode } from './codeRequests.ts'
import { applyRename } from './renameApply.ts'
import { allOccurrences, previewRename } from './renameStore.ts'
import { isTypeScriptModel, localDefinitions, localRenameEdits } from './typescriptWorker.ts'

type Model = monaco.editor.ITextModel

function placeOf(
  model: Model,
  { lineNumber, column }: monaco.Position,
): { path: string; line: number; column: number } {
  return { path: pathOf(model.uri) ?? '', line: lineNumber, column }
}

/** Whether a name is local to the file: Monaco's TypeScript resolves it, but the index does not contain it. */
async function isLocal(model: Model, position: monaco.Position): Promise<boolean> {
  if (!isTypeScriptModel(model)) return false
  const found = await requestCode('code.definition', placeOf(model, position))
  return !found?.resolved && (await localDefinitions(model, position)).length > 0
}

/** Plans, previews and applies a rename in all files, and shows a notice with Undo. */
async function renameEverywhere(model: Model, position: monaco.Position, newName: string): Promise<void> {
  const plan = await requestCode('code.rename', { ...placeOf(model, position), newName })
  const path = pathOf(model.uri)
  // Within a file, a rename without guesses needs no preview, as in other editors.
  const isLocalPlan = plan.certain === true && plan.files.every((file) => file.path === path)
  const chosen = isLocalPlan ? allOccurrences(plan) : await previewRename(plan)
  if (!chosen || chosen.size === 0) return
  const applied = await applyRename({ request, documents }, plan, chosen, (followed) => notifyLinkedUndo(followed))
  const unsaved =
    applied.unsaved.length > 0
      ? `Not saved because of other unsaved changes: ${applied.unsaved.join(', ')}.`
      : undefined
  notify(
    'success',
    `Renamed ${plural(applied.places, 'occurrence')} of ${plan.name} to ${newName} in ${plural(applied.files, 'file')}.`,
    {
      detail: unsaved,
      actions: [{ label: 'Undo', run: () => attempt(() => applied.undo(), 'The rename could not be undone') }],
    },
  )
}

/**
 * Monaco's rename provider. Monaco renames local names itself; the index renames other names after a preview. Shows
 * failures as notices, because Monaco would only log them.
 */
export const renameProvider: monaco.languages.RenameProvider = {
  async resolveRenameLocation(model, position) {
    const word = model.getWordAtPosition(position)
    if (!word)
      return { range: new monaco.Range(1, 1, 1, 1), text: '', rejectReason: 'There is no symbol to rename here.' }
    return {
      range: new monaco.Range(position.lineNumber, word.startColumn, position.lineNumber, word.endColumn),
      text: word.word,
    }
  },
  async provideRenameEdits(model, position, newName, token) {
    try {
      if (await isLocal(model, position)) {
        if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(newName))
          throw new ToolError('invalid_arguments', `"${newName}" is not a valid name.`, 'Use letters, digits, _ and $.')
        const versionId = model.getVersionId()
        const edits = await localRenameEdits(model, position, newName)
        if (model.isDisposed() || model.getVersionId() !== versionId)
          throw new ToolError('conflict', 'The text has changed in the meantime.', 'Nothing was renamed. Rename again.')
        if (edits.length > 0) return { edits: edits.map((textEdit) => ({ resource: model.uri, versionId, textEdit })) }
      }
      if (!token.isCancellationRequested) await renameEverywhere(model, position, newName)
    } catch (error) {
      if (toFailure(error).code === 'internal') notifyFailure(error, 'Rename failed')
      else notify('warning', toFailure(error).message, { detail: toFailure(error).next })
    }
    return { edits: [] }
  },
}
