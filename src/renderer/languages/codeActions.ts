import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { applyFileEdits, undoableChanges } from '../platform/editor/documents/fileChanges.ts'
import { notifyLinkedUndo } from '../platform/editor/documents/linkedUndo.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { attempt, notify } from '../platform/notices.ts'
import { requestFromServers, fromMonacoRange, pathOfModel } from './serverRequests.ts'
import { once } from '../../shared/async/once.ts'

const runCommand = 'tizona.runCodeAction'

/** Applies a language server's action to all its files, or to none. */
async function runAction(title: string, path: string, list: string, index: number): Promise<void> {
  documents.flush()
  const deps = { request, documents }
  const changes = await applyFileEdits(deps, await request('language.runCodeAction', { list, index }))
  const others = changes.filter((change) => change.path !== path)
  if (others.length === 0) return
  const { undo } = undoableChanges(deps, changes, notifyLinkedUndo)
  notify('success', `"${title}" changed ${plural(changes.length, 'file')}.`, {
    detail: changes.map((change) => change.path).join('\n'),
    actions: [
      {
        label: 'Undo',
        run: () => attempt(undo, 'The change could not be undone'),
      },
    ],
  })
}

const registerCommand = once(() =>
  monaco.editor.registerCommand(runCommand, (_accessor, title: string, path: string, list: string, index: number) =>
    attempt(() => runAction(title, path, list, index), `"${title}" failed`),
  ),
)

/** Quick fixes and other actions of language servers. Their edits are computed when the user chooses one. */
export function registerCodeActions(filter: monaco.languages.LanguageFilter): monaco.IDisposable {
  registerCommand()
  return monaco.languages.registerCodeActionProvider(
    filter,
    {
      async provideCodeActions(model, range, context, token) {
        const path = pathOfModel(model)
        const list = await requestFromServers('language.codeActions', {
          path,
          range: fromMonacoRange(range),
          ...(context.only !== undefined && { kind: context.only }),
        })
        if (list === null || token.isCancellationRequested) return { actions: [], dispose: () => undefined }
        return {
          actions: list.actions.map(({ index, title, kind, preferred, disabled, fixes }) => ({
            title,
            kind,
            isPreferred: preferred,
            ...(disabled !== '' && { disabled }),
            diagnostics: context.markers.filter(({ message }) => fixes.includes(message)),
            command: { id: runCommand, title, arguments: [title, path, list.id, index] },
          })),
          dispose: () => undefined,
        }
      },
    },
    { providedCodeActionKinds: ['quickfix', 'refactor', 'source', 'source.organizeImports', 'source.fixAll'] },
  )
}
