import { handleCommand } from '../platform/commands.ts'
import { showPanel } from '../platform/layout/layoutStore.ts'
import { useProblemsFocus } from './problemFilter.ts'
import { openFile } from '../platform/editor/editorService.ts'
import { viewOf, waitForView } from '../platform/editor/editorViews.ts'
import { activePath, useTabs } from '../platform/editor/tabsStore.ts'
import { useProblems } from '../platform/languages/problemsStore.ts'
import { notify } from '../platform/notices.ts'
import { edgeProblem, neighborFile } from './problemRows.ts'

/**
 * Registers the commands that show the problems of all files and navigate between them.
 * @returns a function that unregisters them
 */
export function registerProblems(): () => void {
  const stops = [
    handleCommand('problems.show', () => {
      showPanel('problems')
      useProblemsFocus.setState({ requested: true })
    }),
    handleCommand('problems.next', () => goToProblem(1)),
    handleCommand('problems.previous', () => goToProblem(-1)),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Shows the next (1) or previous (-1) problem: in the active file, then in the next file with problems. */
async function goToProblem(step: 1 | -1): Promise<void> {
  const { files } = useProblems.getState()
  const { activeGroup } = useTabs.getState()
  const path = activePath()
  const view = path === null ? null : viewOf(activeGroup)
  // Monaco is loaded if a file is visible.
  const steps = view && path !== null ? await import('./editorProblems.ts') : null
  const other = neighborFile(files, path, step)
  const here = steps !== null && path !== null && steps.hasProblem(path)
  if (view && steps && path !== null && here && (other === null || steps.hasProblemBeyond(path, view.cursor(), step))) {
    view.runAction(steps.stepAction(step))
    return
  }
  if (!other) {
    if (!here) notify('info', 'No problems have been found.')
    return
  }
  await openFile(other.path, edgeProblem(other, step))
  const { activeGroup: group } = useTabs.getState()
  const shown = await waitForView(group, other.path)
  if (!shown) return
  const { stepAction } = await import('./editorProblems.ts')
  shown.runAction(stepAction(step))
}
