import type { FileMove, MoveEdits } from '../../shared/language/languageServers.ts'
import { plural } from '../../shared/text/plural.ts'
import { saveSettings, useApp } from '../platform/appState.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import {
  applyFileEdits,
  currentText,
  reverseChanges,
  writeFileChanges,
  type FileTextChange,
} from '../platform/editor/documents/fileChanges.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { notify, notifyFailure } from '../platform/notices.ts'
import { isWithin, nameOf } from './fileTree.ts'

const deps = { request, documents }

/** Lets language servers update imports after entries move. Part of the move's undo step. */
export interface ImportUpdate {
  /** Asks the language servers. Call it before the move. A failure does not stop the move. */
  request(moves: readonly FileMove[]): Promise<void>
  /** Updates the imports after the move, if the user or the setting agrees. @param undo undoes the whole move */
  apply(undo: () => void): Promise<void>
  /**
   * Checks whether the imports can be restored, and asks if they cannot.
   * @returns false if the user then keeps the move
   */
  confirmUndo(): Promise<boolean>
  /** Restores the imports after the entries have moved back. */
  undo(): Promise<void>
}

export function createImportUpdate(): ImportUpdate {
  let moves: readonly FileMove[] = []
  let edits: MoveEdits | null = null
  let changes: readonly FileTextChange[] = []
  let confirmed = false

  return {
    async request(planned) {
      moves = planned
      documents.flush()
      edits = await request('language.willMove', { moves: [...moves] }).catch(() => null)
    },

    async apply(undo) {
      if (!edits || (edits.files.length > 0 && edits.ask && !(await ask(moves, edits)))) return
      const files = edits.files.map((file) => ({ ...file, path: pathAfter(file.path, moves) }))
      try {
        changes = await applyFileEdits(deps, files)
      } catch (error) {
        return notifyFailure(error, 'The imports could not be updated')
      }
      if (changes.length > 0)
        notify('success', `Updated the imports of ${plural(changes.length, 'file')}.`, {
          detail: changes.map(({ path }) => path).join('\n'),
          actions: [{ label: 'Undo', run: undo }],
        })
      if (edits.unclear.length > 0)
        notify('warning', 'Some imports may still refer to the old paths. Check these files.', {
          detail: edits.unclear.map((path) => pathAfter(path, moves)).join('\n'),
        })
    },

    async confirmUndo() {
      if (confirmed) return true
      const differing: string[] = []
      for (const { path, after } of changes)
        if ((await currentText(deps, path).catch(() => undefined)) !== after) differing.push(path)
      if (differing.length > 0) {
        const choice = await confirm({
          title: 'Undo the move without the imports?',
          message: 'These files have changed since, so the imports stay as they are.',
          items: differing,
          choices: [{ id: 'undo', label: 'Undo the move', variant: 'primary' }],
        })
        if (choice !== 'undo') return false
        changes = []
      }
      confirmed = true
      return true
    },

    async undo() {
      const back = moves.toReversed().map(({ from, to }) => ({ from: to, to: from }))
      const restored = reverseChanges(changes).map((change) => ({ ...change, path: pathAfter(change.path, back) }))
      changes = []
      await writeFileChanges(deps, restored)
    },
  }
}

/** Returns a file's path after moves. */
function pathAfter(path: string, moves: readonly FileMove[]): string {
  return moves.reduce((now, { from, to }) => (isWithin(now, from) ? `${to}${now.slice(from.length)}` : now), path)
}

/** Asks whether to update imports. Saves "always" and "never" in the settings. */
async function ask(moves: readonly FileMove[], { files }: MoveEdits): Promise<boolean> {
  const [only] = moves
  const what = moves.length === 1 && only ? nameOf(only.to) : plural(moves.length, 'moved item')
  const choice = await confirm({
    title: `Update imports for ${what}?`,
    message: `Imports in ${plural(files.length, 'file')} refer to the old path.`,
    items: files.map(({ path }) => pathAfter(path, moves)),
    cancel: 'No',
    choices: [
      { id: 'never', label: 'Never' },
      { id: 'always', label: 'Always' },
      { id: 'yes', label: 'Yes', variant: 'primary' },
    ],
  })
  const servers = useApp.getState().state?.settings.languageServers
  if (servers && (choice === 'always' || choice === 'never'))
    await saveSettings({ languageServers: { ...servers, updateImportsOnFileMove: choice } })
  return choice === 'yes' || choice === 'always'
}
