import { Delayer } from '../../../../shared/async/delayer.ts'
import { monaco } from '../monaco/monaco.ts'
import { parseConflicts, resolvedLines, type Conflict, type ConflictChoice } from './conflictMarkers.ts'
import './conflict.css'

type CodeEditor = monaco.editor.IStandaloneCodeEditor

/** Milliseconds without a change before conflicts are searched again. */
const settleMs = 150
const zoneHeight = 26

const choices: readonly (readonly [ConflictChoice, string])[] = [
  ['ours', 'Accept ours'],
  ['theirs', 'Accept theirs'],
  ['both', 'Accept both'],
]

/** Replaces a conflict, including its markers, as one undo step. */
export function replaceConflict(editor: CodeEditor, conflict: Conflict, lines: readonly string[]): void {
  applyEdits(editor, [conflictEdit(editor, conflict, lines)])
}

function applyEdits(editor: CodeEditor, edits: monaco.editor.IIdentifiedSingleEditOperation[]): void {
  editor.pushUndoStop()
  editor.executeEdits('tizona.conflict', edits)
  editor.pushUndoStop()
  editor.focus()
}

/** Replaces all conflicts of a text with one side. */
export function acceptAll(editor: CodeEditor, conflicts: readonly Conflict[], choice: ConflictChoice): void {
  applyEdits(
    editor,
    conflicts.map((conflict) => conflictEdit(editor, conflict, resolvedLines(conflict, choice))),
  )
}

function conflictEdit(editor: CodeEditor, { startLine, endLine }: Conflict, lines: readonly string[]) {
  const model = editor.getModel()
  const text = lines.map((line) => `${line}\n`)
  // The last line of a text without a final line break.
  const atEnd = endLine === model?.getLineCount()
  const range = atEnd
    ? new monaco.Range(startLine, 1, endLine, model?.getLineMaxColumn(endLine) ?? 1)
    : new monaco.Range(startLine, 1, endLine + 1, 1)
  return { range, text: atEnd ? text.join('').slice(0, -1) : text.join('') }
}

/** Lines of each part of a conflict, 1-based and inclusive; none for empty parts. */
function partRanges({ startLine, endLine, ours, theirs }: Conflict) {
  const part = (start: number, count: number) => (count === 0 ? null : new monaco.Range(start, 1, start + count - 1, 1))
  return { ours: part(startLine + 1, ours.length), theirs: part(endLine - theirs.length, theirs.length) }
}

function decorationsOf(conflict: Conflict): monaco.editor.IModelDeltaDecoration[] {
  const { ours, theirs } = partRanges(conflict)
  const whole = (range: monaco.Range | null, className: string) =>
    range === null ? [] : [{ range, options: { isWholeLine: true, className } }]
  const marker = (line: number, className: string) => whole(new monaco.Range(line, 1, line, 1), className)
  return [
    ...marker(conflict.startLine, 'git-conflict-ours git-conflict-marker'),
    ...whole(ours, 'git-conflict-ours'),
    ...whole(theirs, 'git-conflict-theirs'),
    ...marker(conflict.endLine, 'git-conflict-theirs git-conflict-marker'),
  ]
}

interface ConflictMarksOptions {
  /** Whether the shown file can have conflicts. */
  isActive: () => boolean
  /** Called with the conflicts after each pause in typing. */
  onConflicts?: (conflicts: readonly Conflict[]) => void
}

/**
 * Marks both sides of an editor's conflicts and shows buttons above each. The buttons are content widgets in the space
 * of view zones, because view zones do not receive pointer events.
 * @returns a handle to search again and to detach
 */
export function showConflicts(editor: CodeEditor, { isActive, onConflicts }: ConflictMarksOptions) {
  const marks = editor.createDecorationsCollection()
  let zones: string[] = []
  let widgets: monaco.editor.IContentWidget[] = []
  const showLater = new Delayer(show, settleMs)

  function clear(): void {
    marks.clear()
    for (const widget of widgets) editor.removeContentWidget(widget)
    widgets = []
    editor.changeViewZones((accessor) => {
      for (const zone of zones) accessor.removeZone(zone)
      zones = []
    })
  }
  function show(): void {
    showLater.cancel()
    const model = editor.getModel()
    const conflicts = model && isActive() ? parseConflicts(model.getLinesContent()) : []
    if (conflicts.length > 0 || widgets.length > 0) {
      clear()
      marks.set(conflicts.flatMap(decorationsOf))
      editor.changeViewZones((accessor) => {
        zones = conflicts.map(({ startLine }) =>
          accessor.addZone({
            afterLineNumber: startLine - 1,
            heightInPx: zoneHeight,
            domNode: document.createElement('div'),
          }),
        )
      })
      widgets = conflicts.map((conflict, index) => conflictWidget(editor, conflict, index))
      for (const widget of widgets) editor.addContentWidget(widget)
    }
    onConflicts?.(conflicts)
  }
  const subscriptions = [
    editor.onDidChangeModel(show),
    editor.onDidChangeModelContent(() => {
      showLater.cancel()
      // Buttons act on line numbers, which a change may have moved.
      if (widgets.length > 0 || isActive()) showLater.start()
    }),
  ]
  show()
  return {
    refresh: show,
    dispose() {
      showLater.cancel()
      clear()
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}

function conflictWidget(editor: CodeEditor, conflict: Conflict, index: number): monaco.editor.IContentWidget {
  const node = document.createElement('div')
  node.className = 'git-conflict-actions'
  node.setAttribute('role', 'group')
  node.setAttribute('aria-label', `Conflict ${index + 1}`)
  for (const [choice, label] of choices) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = label
    const name = choice === 'ours' ? conflict.ourName : choice === 'theirs' ? conflict.theirName : ''
    button.title = name === '' ? label : `${label} (${name})`
    button.addEventListener('click', () => {
      // The text may have changed since the buttons were placed.
      const current = parseConflicts(editor.getModel()?.getLinesContent() ?? [])[index]
      if (current) replaceConflict(editor, current, resolvedLines(current, choice))
    })
    node.append(button)
  }
  return {
    getId: () => `tizona.conflict.${index}`,
    getDomNode: () => node,
    getPosition: () => ({
      position: { lineNumber: conflict.startLine, column: 1 },
      preference: [monaco.editor.ContentWidgetPositionPreference.ABOVE],
    }),
  }
}
