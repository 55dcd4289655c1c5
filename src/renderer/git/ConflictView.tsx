import { useEffect, useRef, useState } from 'react'
import { useSettings } from '../platform/appState.ts'
import type { DiffViewProps } from '../platform/editor/diffContributions.tsx'
import { runCommand } from '../platform/commands.ts'
import { monaco, uriOf } from '../platform/editor/monaco/monaco.ts'
import { useGit } from '../platform/git/gitStore.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { HunkActions, HunkNavigation, type HunkAction } from '../ui/diff/HunkActions.tsx'
import { Button, EmptyState } from '../ui/index.ts'
import { parseConflicts, type Conflict, type ConflictChoice } from './conflictMarkers.ts'
import { acceptAll, showConflicts } from './conflictMarks.ts'
import {
  conflictDescription,
  conflictDetailOf,
  resolveWithResult,
  resolveWithSide,
  type ConflictDetail,
} from './conflictActions.ts'
import { attemptGit } from './failures.ts'
import { lockSteps } from './lockFile.ts'
import './conflict.css'
import './git.css'

type CodeEditor = monaco.editor.IStandaloneCodeEditor

/** The conflict editor: both sides at the top, and the result, which is the file itself, at the bottom. */
export function ConflictView({ tab }: DiffViewProps) {
  const detail = conflictDetailOf(tab)
  const unresolved = useGit(({ statuses }) =>
    detail === null
      ? false
      : (statuses[detail.repository.id]?.groups.merge.some(({ path }) => path === detail.path) ?? false),
  )
  if (!detail) return null
  if (!unresolved)
    return (
      <EmptyState
        icon="pass"
        title="The conflict is resolved"
        actions={<Button onClick={() => runCommand('tab.close')}>Close tab</Button>}
      >
        The file was added to the staged changes.
      </EmptyState>
    )
  if (!detail.editable || detail.ours === null || detail.theirs === null) return <SideChoice detail={detail} />
  return <ConflictEditor key={tab.id} detail={detail} path={tab.path} />
}

/** Choice between two sides that cannot be merged by lines, such as a deleted or binary file. */
function SideChoice({ detail }: { detail: ConflictDetail }) {
  const run = (action: () => Promise<void>) =>
    attemptGit(action, 'The conflict could not be resolved', lockSteps(detail.repository.id))
  const { conflict } = detail
  const hasOurs = conflict !== 'deleted_by_us' && conflict !== 'both_deleted' && conflict !== 'added_by_them'
  const hasTheirs = conflict !== 'deleted_by_them' && conflict !== 'both_deleted' && conflict !== 'added_by_us'
  return (
    <EmptyState
      icon="git-merge"
      title={conflictDescription(detail)}
      actions={
        <>
          {hasOurs && <Button onClick={() => run(() => resolveWithSide(detail, 'ours'))}>Use our version</Button>}
          {hasTheirs && <Button onClick={() => run(() => resolveWithSide(detail, 'theirs'))}>Use their version</Button>}
          {(!hasOurs || !hasTheirs) && (
            <Button variant="danger" onClick={() => run(() => resolveWithSide(detail, 'delete'))}>
              Delete file
            </Button>
          )}
        </>
      }
    >
      Choose what to keep. {detail.ours === null && hasOurs ? 'The file is not text, so it cannot be merged.' : ''}
    </EmptyState>
  )
}

function createSide(host: HTMLElement, text: string, path: string, label: string, fontSize: number) {
  const language = monaco.editor.getModel(uriOf(path))?.getLanguageId()
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

interface Panes {
  ours: CodeEditor
  theirs: CodeEditor
  result: CodeEditor
}

/** Highlights the conflicts in both sides. */
function markSides({ ours, theirs }: Panes, detail: ConflictDetail, conflicts: readonly Conflict[]) {
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
  const marks = [mark(ours, detail.ours ?? '', 'ours'), mark(theirs, detail.theirs ?? '', 'theirs')]
  return () => marks.forEach((each) => each.clear())
}

function revealConflict(panes: Panes, detail: ConflictDetail, conflicts: readonly Conflict[], index: number): void {
  const conflict = conflicts[index]
  if (!conflict) return
  panes.result.setPosition({ lineNumber: conflict.startLine, column: 1 })
  panes.result.revealLineNearTop(conflict.startLine)
  for (const side of ['ours', 'theirs'] as const) {
    const range = sideRange((detail[side] ?? '').split('\n'), conflicts, index, side)
    if (range) panes[side].revealLineNearTop(range.start)
  }
}

/**
 * Shows both sides and the result in three editors.
 * @returns the elements that contain them, the editors and the conflicts
 */
function useConflictPanes(detail: ConflictDetail, path: string) {
  const fontSize = useSettings()?.editor.fontSize ?? 13
  const ours = useRef<HTMLDivElement>(null)
  const theirs = useRef<HTMLDivElement>(null)
  const result = useRef<HTMLDivElement>(null)
  const panes = useRef<Panes | null>(null)
  const [conflicts, setConflicts] = useState<readonly Conflict[]>([])

  useEffect(() => {
    const model = monaco.editor.getModel(uriOf(path))
    if (!ours.current || !theirs.current || !result.current || !model) return
    const ourSide = createSide(ours.current, detail.ours ?? '', path, 'Ours', fontSize)
    const theirSide = createSide(theirs.current, detail.theirs ?? '', path, 'Theirs', fontSize)
    const editor = monaco.editor.create(result.current, { ...paneOptions(fontSize), model, ariaLabel: 'Result' })
    const shown: Panes = { ours: ourSide.editor, theirs: theirSide.editor, result: editor }
    panes.current = shown
    let clearMarks = () => {}
    const marks = showConflicts(editor, {
      isActive: () => true,
      onConflicts: (found) => {
        clearMarks()
        clearMarks = markSides(shown, detail, found)
        setConflicts(found)
      },
    })
    revealConflict(shown, detail, parseConflicts(model.getLinesContent()), 0)
    return () => {
      panes.current = null
      marks.dispose()
      for (const each of [ourSide, theirSide]) {
        each.editor.dispose()
        each.model.dispose()
      }
      editor.dispose()
    }
  }, [detail, path, fontSize])

  return { ours, theirs, result, panes, conflicts }
}

function ConflictEditor({ detail, path }: { detail: ConflictDetail; path: string }) {
  const { ours, theirs, result, panes, conflicts } = useConflictPanes(detail, path)
  const [current, setCurrent] = useState(0)

  const goTo = (index: number) => {
    if (!panes.current || conflicts.length === 0) return
    const next = (index + conflicts.length) % conflicts.length
    setCurrent(next)
    revealConflict(panes.current, detail, conflicts, next)
    panes.current.result.focus()
  }
  const all = (choice: ConflictChoice) => panes.current && acceptAll(panes.current.result, conflicts, choice)
  const left = conflicts.length
  const [first] = conflicts
  const shownIndex = Math.min(current, left - 1)
  const actions: HunkAction[] = [
    { label: 'Accept all ours', disabled: left === 0, run: () => all('ours') },
    { label: 'Accept all theirs', disabled: left === 0, run: () => all('theirs') },
    {
      label: 'Mark as resolved',
      primary: true,
      run: () =>
        attemptGit(
          () => resolveWithResult(detail),
          'The file could not be marked as resolved',
          lockSteps(detail.repository.id),
        ),
    },
  ]
  return (
    <div className="git-conflict">
      <div className="diff-bar" role="toolbar" aria-label="Conflicts">
        <span className="diff-path" title={path}>
          <bdi>{visibleText(path)}</bdi>
        </span>
        <HunkNavigation
          total={left}
          index={-1}
          kind="conflict"
          none="No conflicts left"
          onStep={(step) => goTo(shownIndex + step)}
        />
        <HunkActions actions={actions} />
      </div>
      <div className="git-conflict-sides">
        <section aria-label="Ours">
          <h3>Ours {first && <span className="git-folder">{first.ourName}</span>}</h3>
          <div ref={ours} className="git-conflict-pane monaco-component" />
        </section>
        <section aria-label="Theirs">
          <h3>Theirs {first && <span className="git-folder">{first.theirName}</span>}</h3>
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
