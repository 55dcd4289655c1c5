import { maxRecentEdits, type NextEditParams } from '../../shared/editor/inlineCompletion.ts'
import { useApp } from '../platform/appState.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { EditRegions } from './editRegions.ts'
import { once } from '../../shared/async/once.ts'

type Model = monaco.editor.ITextModel
type RecentEdit = NextEditParams['edits'][number]

/** Maximum number of lines. Copying more would cost too much. */
const maxLineCount = 20_000
/** Longer lines are generated code. */
const maxLineLength = 2000

/** Models in the order of their latest change. */
const followed = new Map<Model, EditRegions>()

const isEnabled = (): boolean => {
  const completion = useApp.getState().state?.settings.completion
  return completion?.enabled === true && completion.nextEditModel !== null
}

/** Tracks a model's changes. The lines are copied before the first change if next edits are on. */
function follow(model: Model): void {
  const path = pathOf(model.uri)
  if (path === null || model.getLineCount() > maxLineCount) return
  const regions = (): EditRegions => followed.get(model) ?? new EditRegions(model.getLinesContent(), maxRecentEdits)
  const changes = model.onDidChangeContent(({ changes: changed, isFlush }) => {
    const known = followed.get(model)
    followed.delete(model)
    if (!isEnabled()) return
    // Without the previous lines, the first change only starts the history.
    if (known && !isFlush && changed.length === 1 && changed[0]) {
      const { range, text } = changed[0]
      const newCount = text.split(/\r\n|\r|\n/).length
      known.changed({ start: range.startLineNumber, oldEnd: range.endLineNumber, newCount }, model.getLinesContent())
      followed.set(model, known)
    } else followed.set(model, regions())
  })
  model.onWillDispose(() => {
    changes.dispose()
    followed.delete(model)
  })
}

/** Returns the latest edits of all open files, oldest first. */
export function recentEdits(): RecentEdit[] {
  const edits = [...followed].flatMap(([model, regions]) => {
    const path = pathOf(model.uri)
    return path === null ? [] : regions.edits(model.getLinesContent()).map((edit) => ({ path, ...edit }))
  })
  const isShort = (lines: string[]) => lines.every((line) => line.length <= maxLineLength)
  return edits.filter(({ before, after }) => isShort(before) && isShort(after)).slice(-maxRecentEdits)
}

/** Follows all models from now on. */
export const followEdits = once((): void => {
  for (const model of monaco.editor.getModels()) follow(model)
  monaco.editor.onDidCreateModel(follow)
})
