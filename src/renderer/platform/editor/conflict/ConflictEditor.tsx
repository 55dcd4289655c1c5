import { useEffect, useRef, useState } from 'react'
import { visibleText } from '../../../../shared/text/visibleText.ts'
import { useSettings } from '../../appState.ts'
import { attempt } from '../../notices.ts'
import { HunkActions, HunkNavigation, type HunkAction } from '../../../ui/diff/HunkActions.tsx'
import { monaco } from '../monaco/monaco.ts'
import { conflictAtLine, parseConflicts, type Conflict, type ConflictChoice } from './conflictMarkers.ts'
import { createModelResolution, type ModelResolution, type ProposalState } from './modelResolution.ts'
import { acceptAll, showConflicts } from './showConflicts.ts'
import './conflict.css'

type CodeEditor = monaco.editor.IStandaloneCodeEditor

function createSide(host: HTMLElement, text: string, language: string, label: string, fontSize: number) {
  const model = monaco.editor.createModel(text, language)
  const editor = monaco.editor.create(host, { ...paneOptions(fontSize), model, readOnly: true, ariaLabel: label })
  return { editor, model }
}

const paneOptions = (fontSize: number): monaco.editor.IStandaloneEditorConstructionOptions => ({
  automaticLayout: true,
  useShadowDOM: false,
  fontFamily: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSize,
  lineHeight: Math.round(fontSize * 1.6),
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  lineNumbersMinChars: 4,
  fixedOverflowWidgets: true,
  renderLineHighlightOnlyWhenFocus: true,
  padding: { top: 4, bottom: 4 },
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
})

/** Finds a conflict's lines in the text of one side, after the lines of earlier conflicts. */
function sideRange(text: readonly string[], conflicts: readonly Conflict[], index: number, side: 'ours' | 'theirs') {
  let from = 0
  for (const [at, conflict] of conflicts.entries()) {
    const lines = conflict[side]
    const start = lines.length === 0 ? from : indexOfLines(text, lines, from)
    if (at === index) return start < 0 ? null : { start: start + 1, count: lines.length }
    if (start >= 0) from = start + lines.length
  }
  return null
}

function indexOfLines(text: readonly string[], lines: readonly string[], from: number): number {
  for (let start = from; start + lines.length <= text.length; start++)
    if (lines.every((line, offset) => text[start + offset] === line)) return start
  return -1
}

interface Sides {
  ours: string
  theirs: string
}

interface Panes {
  ours: CodeEditor
  theirs: CodeEditor
  result: CodeEditor
}

/** Highlights the conflicts in both sides. */
function markSides({ ours, theirs }: Panes, sides: Sides, conflicts: readonly Conflict[]) {
  const mark = (editor: CodeEditor, text: string, side: 'ours' | 'theirs') => {
    const lines = text.split('\n')
    return editor.createDecorationsCollection(
      conflicts.flatMap((_conflict, index) => {
        const range = sideRange(lines, conflicts, index, side)
        return range === null || range.count === 0
          ? []
          : [
              {
                range: new monaco.Range(range.start, 1, range.start + range.count - 1, 1),
                options: { isWholeLine: true, className: `git-conflict-${side}` },
              },
            ]
      }),
    )
  }
  const marks = [mark(ours, sides.ours, 'ours'), mark(theirs, sides.theirs, 'theirs')]
  return () => marks.forEach((each) => each.clear())
}

function revealConflict(panes: Panes, sides: Sides, conflicts: readonly Conflict[], index: number): void {
  const conflict = conflicts[index]
  if (!conflict) return
  panes.result.setPosition({ lineNumber: conflict.startLine, column: 1 })
  panes.result.revealLineNearTop(conflict.startLine)
  for (const side of ['ours', 'theirs'] as const) {
    const range = sideRange(sides[side].split('\n'), conflicts, index, side)
    if (range) panes[side].revealLineNearTop(range.start)
  }
}

/**
 * Shows both sides and the result in three editors.
 * @returns the elements that contain them, the editors and the conflicts
 */
function useConflictPanes(texts: Sides, model: monaco.editor.ITextModel, path: string) {
  const fontSize = useSettings()?.editor.fontSize ?? 13
  const ours = useRef<HTMLDivElement>(null)
  const theirs = useRef<HTMLDivElement>(null)
  const result = useRef<HTMLDivElement>(null)
  const panes = useRef<Panes | null>(null)
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])
  const [proposal, setProposal] = useState<ProposalState>('none')
  const resolution = useRef<ModelResolution | null>(null)

  useEffect(() => {
    if (!ours.current || !theirs.current || !result.current) return
    const sides = { ours: texts.ours, theirs: texts.theirs }
    const language = model.getLanguageId()
    const ourSide = createSide(ours.current, sides.ours, language, 'Ours', fontSize)
    const theirSide = createSide(theirs.current, sides.theirs, language, 'Theirs', fontSize)
    const editor = monaco.editor.create(result.current, { ...paneOptions(fontSize), model, ariaLabel: 'Result' })
    const shown: Panes = { ours: ourSide.editor, theirs: theirSide.editor, result: editor }
    panes.current = shown
    let clearMarks = () => {}
    const marks = showConflicts(editor, {
      isActive: () => true,
      onConflicts: (found) => {
        clearMarks()
        clearMarks = markSides(shown, sides, found)
        setConflicts(found)
      },
    })
    const asked = createModelResolution(editor, path, setProposal)
    resolution.current = asked
    revealConflict(shown, sides, parseConflicts(model.getLinesContent()), 0)
    return () => {
      panes.current = null
      resolution.current = null
      asked.dispose()
      marks.dispose()
      for (const each of [ourSide, theirSide]) {
        each.editor.dispose()
        each.model.dispose()
      }
      editor.dispose()
    }
  }, [texts.ours, texts.theirs, model, path, fontSize])

  return { ours, theirs, result, panes, conflicts, resolution, proposal }
}

interface ConflictEditorProps extends Sides {
  /** Relative to the open folder. */
  path: string
  /** The result, which has the conflict markers at first. */
  model: monaco.editor.ITextModel
  /** Uses the result. `run` is called with the number of conflicts that are left. */
  resolve: { label: string; run: (left: number) => void }
}

/** Both sides of a conflict at the top, and the result at the bottom. The model can propose a resolution. */
export function ConflictEditor({ path, model, resolve, ...texts }: ConflictEditorProps) {
  const { ours, theirs, result, panes, conflicts, resolution, proposal } = useConflictPanes(texts, model, path)

  /** Returns the conflict at the cursor, or else the next one. */
  const atCursor = (): number => conflictAtLine(conflicts, cursorLine())
  const cursorLine = (): number => panes.current?.result.getPosition()?.lineNumber ?? 1
  const goTo = (step: number) => {
    if (!panes.current || conflicts.length === 0) return
    const index = atCursor()
    const { startLine = 0, endLine = 0 } = conflicts[index] ?? {}
    // Between two conflicts, the next one is the one below the cursor.
    const first =
      step > 0 && cursorLine() < startLine ? index : step < 0 && cursorLine() > endLine ? index : index + step
    const next = (first + conflicts.length) % conflicts.length
    revealConflict(panes.current, texts, conflicts, next)
    panes.current.result.focus()
  }
  const all = (choice: ConflictChoice) => panes.current && acceptAll(panes.current.result, conflicts, choice)
  const left = conflicts.length
  const [first] = conflicts
  const actions: HunkAction[] = [
    proposal === 'running'
      ? { label: 'Stop', title: 'Stop asking the model', run: () => resolution.current?.stop() }
      : {
          label: 'Ask the model',
          title: 'The model proposes a resolution of this conflict, which you accept or reject',
          disabled: left === 0 || proposal === 'shown',
          run: () => attempt(async () => resolution.current?.ask(atCursor()), 'The model proposed no resolution'),
        },
    { label: 'Accept all ours', disabled: left === 0, run: () => all('ours') },
    { label: 'Accept all theirs', disabled: left === 0, run: () => all('theirs') },
    { label: resolve.label, primary: true, run: () => resolve.run(left) },
  ]
  return (
    <div className="git-conflict">
      <div className="diff-bar" role="toolbar" aria-label="Conflicts">
        <span className="diff-path" title={path}>
          <bdi>{visibleText(path)}</bdi>
        </span>
        <HunkNavigation total={left} index={-1} kind="conflict" none="No conflicts left" onStep={goTo} />
        <HunkActions actions={actions} />
      </div>
      <div className="git-conflict-sides">
        <section aria-label="Ours">
          <h3>Ours {first && <span className="git-conflict-name">{first.ourName}</span>}</h3>
          <div ref={ours} className="git-conflict-pane monaco-component" />
        </section>
        <section aria-label="Theirs">
          <h3>Theirs {first && <span className="git-conflict-name">{first.theirName}</span>}</h3>
          <div ref={theirs} className="git-conflict-pane monaco-component" />
        </section>
      </div>
      <section className="git-conflict-result" aria-label="Result">
        <h3>Result</h3>
        <div ref={result} className="git-conflict-pane monaco-component" />
      </section>
    </div>
  )
}
