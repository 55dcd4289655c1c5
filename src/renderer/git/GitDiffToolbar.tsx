import { useEffect, useState } from 'react'
import type { editor } from 'monaco-editor'
import type { GitLineChange } from '../../shared/git.ts'
import { plural } from '../../shared/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import type { DiffToolbarProps } from '../platform/editor/diffToolbars.tsx'
import { documents } from '../platform/editor/windowDocuments.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { Button, IconButton } from '../ui/index.ts'
import { attemptGit } from './failures.ts'
import { displayName } from './changeRows.ts'
import { revertLines } from './hunkActions.ts'
import { reportDiscard } from './discardNotice.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { lineChangeOf, partOf, spansOf, touches } from './lineChanges.ts'
import { lockSteps } from './lockFile.ts'
import { gitDetailOf, type GitDiffDetail } from './openChange.ts'
import './git.css'

type LineAction = 'stage' | 'unstage' | 'discard'

/** Actions on the lines of a diff, by what it compares. */
function lineActions({ original, modified, lines }: GitDiffDetail): LineAction[] {
  if (!lines) return []
  if (original === 'index' && modified === 'working') return ['stage', 'discard']
  return original === 'head' && modified === 'index' ? ['unstage'] : []
}

const verbs: Record<LineAction, { verb: string; failed: string }> = {
  stage: { verb: 'Stage', failed: 'Staging failed' },
  unstage: { verb: 'Unstage', failed: 'Unstaging failed' },
  discard: { verb: 'Discard', failed: 'Discarding failed' },
}

interface DiffPosition {
  changes: LineHunk[]
  /** Index of the change at the cursor; -1 between changes. */
  current: number
  /** Selected lines of the modified side; null for an empty selection. */
  selected: { first: number; last: number } | null
}

const nowhere: DiffPosition = { changes: [], current: -1, selected: null }

function positionIn(diffEditor: editor.IStandaloneDiffEditor): DiffPosition {
  const changes = (diffEditor.getLineChanges() ?? []).map(spansOf)
  const modified = diffEditor.getModifiedEditor()
  const selection = modified.getSelection()
  const line = selection?.positionLineNumber ?? 1
  // A selection that ends at the start of a line does not contain the line.
  const last =
    selection && selection.endColumn === 1 && selection.endLineNumber > selection.startLineNumber
      ? selection.endLineNumber - 1
      : (selection?.endLineNumber ?? 1)
  return {
    changes,
    current: changes.findIndex((change) => touches(change.modified, line, line)),
    selected: selection && !selection.isEmpty() ? { first: selection.startLineNumber, last } : null,
  }
}

/** Follows the changes of a diff, and the cursor in its modified side. */
function useDiffPosition(diffEditor: editor.IStandaloneDiffEditor | null): DiffPosition {
  const [position, setPosition] = useState(nowhere)
  useEffect(() => {
    if (!diffEditor) return setPosition(nowhere)
    const update = () => setPosition(positionIn(diffEditor))
    update()
    const subscriptions = [
      diffEditor.onDidUpdateDiff(update),
      diffEditor.getModifiedEditor().onDidChangeCursorSelection(update),
    ]
    return () => subscriptions.forEach((subscription) => subscription.dispose())
  }, [diffEditor])
  return position
}

const lineActionLabels = { stage: 'Staging', unstage: 'Unstaging', discard: 'Discarding' } as const

async function applyLines(detail: GitDiffDetail, action: LineAction, changes: GitLineChange[]): Promise<void> {
  const { repository, path } = detail
  if (action === 'discard') {
    const choice = await confirm({
      title: `Discard ${plural(changes.length, 'change')} in ${displayName(path).name}?`,
      message: 'You can undo this from the notice that appears.',
      choices: [{ id: 'discard', label: 'Discard', variant: 'danger' }],
    })
    if (choice === null) return
  }
  // Main compares the lines with the text of the tab.
  documents.flush()
  const result = await changeRepository(repository, lineActionLabels[action], (operation) =>
    request('git.applyLines', { repository, operation, path, action, changes }),
  )
  if (action === 'discard') reportDiscard(repository, result, displayName(path).name)
}

/**
 * The bar above a diff of the git view: moves between changes; stages, unstages or discards a change or selected lines.
 */
export function GitDiffToolbar({ tab, diffEditor }: DiffToolbarProps) {
  const { changes, current, selected } = useDiffPosition(diffEditor)
  const detail = gitDetailOf(tab)
  if (!detail || !diffEditor) return null
  const actions = lineActions(detail)

  const goTo = (index: number) => {
    const change = changes[(index + changes.length) % changes.length]
    const modified = diffEditor.getModifiedEditor()
    if (!change) return
    const line = Math.max(1, Math.min(modified.getModel()?.getLineCount() ?? 1, change.modified.start))
    modified.setPosition({ lineNumber: line, column: 1 })
    modified.revealLineInCenter(line)
    modified.focus()
  }
  const lineAt = (model: editor.ITextModel | undefined) => (line: number) => model?.getLineContent(line) ?? ''
  const run = (action: LineAction) => {
    const models = diffEditor.getModel()
    const chosen = selected
      ? changes.flatMap((change) => partOf(change, selected.first, selected.last) ?? [])
      : changes.slice(current, current + 1)
    const lines = chosen.map((change) => lineChangeOf(change, lineAt(models?.original), lineAt(models?.modified)))
    // The text of an unsaved tab is only in the window, where Ctrl+Z undoes it.
    if (action === 'discard' && tab.modified === null && documents.get(tab.path)?.dirty)
      revertLines(diffEditor.getModifiedEditor(), chosen, lineAt(models?.original))
    else attemptGit(() => applyLines(detail, action, lines), verbs[action].failed, lockSteps(detail.repository))
  }
  const what = selected ? 'selected lines' : 'change'
  const enabled = selected
    ? changes.some((change) => partOf(change, selected.first, selected.last) !== null)
    : current >= 0
  // With the cursor between changes, the next one is the first after the cursor.
  const line = diffEditor.getModifiedEditor().getPosition()?.lineNumber ?? 1
  const after = changes.findIndex(({ modified }) => modified.start > line)
  return (
    <div className="git-diff-bar" role="toolbar" aria-label="Changes">
      <span className="git-diff-count" role="status">
        {changes.length === 0
          ? 'No differences'
          : current < 0
            ? plural(changes.length, 'change')
            : `Change ${current + 1} of ${changes.length}`}
      </span>
      <IconButton
        icon="arrow-up"
        label="Previous change"
        disabled={changes.length === 0}
        onClick={() => goTo(current >= 0 ? current - 1 : after - 1)}
      />
      <IconButton
        icon="arrow-down"
        label="Next change"
        disabled={changes.length === 0}
        onClick={() => goTo(current >= 0 ? current + 1 : Math.max(0, after))}
      />
      {actions.map((action) => (
        <Button key={action} size="small" disabled={!enabled} onClick={() => run(action)}>
          {verbs[action].verb} {what}
          {action === 'discard' && '…'}
        </Button>
      ))}
    </div>
  )
}
