import type { editor } from 'monaco-editor'
import type { GitLineChange } from '../../shared/git/git.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import type { DiffActionsProps } from '../platform/editor/diffContributions.tsx'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { HunkActions, type HunkAction } from '../ui/diff/HunkActions.tsx'
import { attemptGit } from './failures.ts'
import { displayName } from './changeRows.ts'
import { revertLines } from './hunkActions.ts'
import { reportDiscard } from './discardNotice.ts'
import { hunkPart } from '../../shared/diff/hunkParts.ts'
import { lineChangeOf } from './hunkLineChange.ts'
import { lockSteps } from './lockFile.ts'
import { gitDetailOf, type GitDiffDetail } from './openChange.ts'

type LineAction = 'stage' | 'unstage' | 'discard'

/** Actions on a diff's lines, depending on the compared versions. */
function lineActions({ original, modified, lines }: GitDiffDetail): LineAction[] {
  if (!lines) return []
  if (original === 'index' && modified === 'working') return ['stage', 'discard']
  return original === 'head' && modified === 'index' ? ['unstage'] : []
}

/** `change`: for the change at the cursor. `lines`: for the selected lines. */
const lineActionTexts: Record<LineAction, { change: string; lines: string; failed: string }> = {
  stage: { change: 'Stage change', lines: 'Stage selected lines', failed: 'Staging failed' },
  unstage: { change: 'Unstage change', lines: 'Unstage selected lines', failed: 'Unstaging failed' },
  discard: { change: 'Discard change…', lines: 'Discard selected lines…', failed: 'Discarding failed' },
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
  // Main compares the lines with the tab's text.
  documents.flush()
  const result = await changeRepository(repository, lineActionLabels[action], (operation) =>
    request('git.applyLines', { repository, operation, path, action, changes }),
  )
  if (action === 'discard') reportDiscard(repository, result, displayName(path).name)
}

/** Actions of a git diff: stage, unstage or discard a change or the selected lines. */
export function GitDiffActions({ tab, diffEditor, addedEditor, position }: DiffActionsProps) {
  const { hunks, current, selected } = position
  const detail = gitDetailOf(tab)
  const modifiedEditor = diffEditor?.getModifiedEditor() ?? addedEditor
  if (!detail || !modifiedEditor) return null
  const lineAt = (model: editor.ITextModel | undefined) => (line: number) => model?.getLineContent(line) ?? ''
  const run = (action: LineAction) => {
    // An added file has no original lines.
    const original = diffEditor?.getModel()?.original
    const modified = modifiedEditor.getModel() ?? undefined
    const chosen = selected
      ? hunks.flatMap((hunk) => hunkPart(hunk, selected.first, selected.last) ?? [])
      : hunks.slice(current, current + 1)
    const lines = chosen.map((hunk) => lineChangeOf(hunk, lineAt(original), lineAt(modified)))
    // The text of an unsaved tab exists only in the window, where Ctrl+Z undoes the change.
    if (action === 'discard' && tab.modified === null && documents.get(tab.path)?.dirty)
      revertLines(modifiedEditor, chosen, lineAt(original))
    else
      attemptGit(() => applyLines(detail, action, lines), lineActionTexts[action].failed, lockSteps(detail.repository))
  }
  const enabled = selected ? hunks.some((hunk) => hunkPart(hunk, selected.first, selected.last) !== null) : current >= 0
  const actions = lineActions(detail).map((action): HunkAction => ({
    label: lineActionTexts[action][selected ? 'lines' : 'change'],
    disabled: !enabled,
    run: () => run(action),
  }))
  return <HunkActions actions={actions} />
}
