import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { runCommand } from '../platform/commands.ts'
import { useEditorSettings } from '../platform/editor/editorSettings.ts'
import { DiffActionsHost, type DiffActionsProps } from '../platform/editor/diffContributions.tsx'
import { stepHunk, useDiffPosition } from '../platform/editor/diffPosition.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { attempt } from '../platform/notices.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { HunkNavigation } from '../ui/diff/HunkActions.tsx'
import { IconButton } from '../ui/index.ts'

/** The bar above every full diff: what is compared, its counts, its hunks, and the actions of the feature. */
export function DiffBar({ tab, diffEditor, addedEditor }: Omit<DiffActionsProps, 'position'>) {
  const position = useDiffPosition(diffEditor, addedEditor)
  const { hunks, current } = position
  const sideBySide = useEditorSettings()?.diffSideBySide ?? true
  const counts = tab.counts ?? ((diffEditor ?? addedEditor) && countsOf(hunks))
  return (
    <div className="diff-bar" role="toolbar" aria-label={`Changes in ${tab.path}`}>
      <span className="diff-path" title={tab.path}>
        <bdi>{visibleText(tab.path)}</bdi>
      </span>
      {counts && <DiffCounts {...counts} />}
      <DiffActionsHost tab={tab} diffEditor={diffEditor} addedEditor={addedEditor} position={position} />
      {diffEditor && (
        <HunkNavigation
          total={hunks.length}
          index={current}
          none="No differences"
          onStep={(step) => stepHunk(diffEditor, position, step)}
        />
      )}
      {diffEditor && (
        <IconButton
          className="diff-layout"
          icon={sideBySide ? 'list-flat' : 'split-horizontal'}
          label={sideBySide ? 'Show inline' : 'Show side by side'}
          onClick={() => runCommand('view.toggleDiffSideBySide')}
        />
      )}
      {tab.modified === null && (
        <IconButton icon="go-to-file" label="Open file" onClick={() => attempt(() => openFile(tab.path))} />
      )}
    </div>
  )
}

function countsOf(hunks: readonly LineHunk[]): { added: number; removed: number } {
  return {
    added: hunks.reduce((sum, { modified }) => sum + modified.count, 0),
    removed: hunks.reduce((sum, { original }) => sum + original.count, 0),
  }
}
