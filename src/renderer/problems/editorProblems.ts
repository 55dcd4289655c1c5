import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { IConfigurationService } from 'monaco-editor/platform/configuration/common/configuration'
import { monaco, pathOf, uriOf } from '../platform/editor/monaco/monaco.ts'
import type { Position } from '../platform/editor/editorViews.ts'

/** Returns the Monaco action that shows the next (1) or previous (-1) problem in the file, wrapping around. */
export function stepAction(step: 1 | -1): string {
  return step === 1 ? 'editor.action.marker.next' : 'editor.action.marker.prev'
}

// By default, Monaco goes through all errors first and thus skips warnings.
void StandaloneServices.get(IConfigurationService).updateValue('problems.sortOrder', 'position')

/** Problems of an open file in the order in which Monaco visits them. */
function problemsOf(path: string): monaco.editor.IMarker[] {
  return monaco.editor
    .getModelMarkers({ resource: uriOf(path) })
    .filter(({ severity }) => severity !== monaco.MarkerSeverity.Hint)
    .toSorted((a, b) => monaco.Range.compareRangesUsingStarts(a, b) || b.severity - a.severity)
}

export function hasProblem(path: string): boolean {
  return problemsOf(path).length > 0
}

/** The undeclared state of Monaco's marker controller. */
interface MarkerController extends monaco.editor.IEditorContribution {
  _model?: { selected?: { index: number; total: number } }
}

/** The 1-based number of the problem whose message is shown. */
function shownProblem(path: string): { index: number; total: number } | undefined {
  return monaco.editor
    .getEditors()
    .map((editor) => {
      const model = editor.getModel()
      if (model === null || pathOf(model.uri) !== path) return undefined
      return editor.getContribution<MarkerController>('editor.contrib.markerController')?._model?.selected
    })
    .find((selected) => selected !== undefined)
}

/** Whether Monaco finds a problem in this direction before wrapping around. */
export function hasProblemBeyond(path: string, { line, column }: Position, step: 1 | -1): boolean {
  const shown = shownProblem(path)
  if (shown) return step === 1 ? shown.index < shown.total : shown.index > 1
  const cursor = new monaco.Position(line, column)
  return problemsOf(path).some((marker) => {
    const range = monaco.Range.lift(marker)
    if (range.containsPosition(cursor)) return true
    return step === 1 ? cursor.isBefore(range.getStartPosition()) : range.getStartPosition().isBefore(cursor)
  })
}
