import { createRoot } from 'react-dom/client'
import { useEffect, useRef, type KeyboardEvent } from 'react'
import type { monaco } from '../platform/editor/monaco/monaco.ts'
import { HunkActions, HunkNavigation, type HunkAction } from '../ui/diff/HunkActions.tsx'
import { IconButton } from '../ui/index.ts'
import { DiffHunks } from '../ui/diff/DiffExcerpt.tsx'
import { markChangedParts, type DiffHunk, type DiffLine } from '../../shared/diff/hunkRows.ts'
import { shortcutOf } from '../platform/commands.ts'
import { attemptGit } from './failures.ts'
import type { GutterSession } from './gutterSession.ts'
import { headLines, revertHunk, stageHunk, unstagedParts } from './hunkActions.ts'
import type { LineHunk } from '../../shared/diff/lineHunks.ts'
import { lockSteps } from './lockFile.ts'

interface PeekOptions {
  session: GutterSession
  index: number
  focus: boolean
  onMove: (step: 1 | -1) => void
  onClose: () => void
}

type CodeEditor = monaco.editor.IStandaloneCodeEditor

const headerHeight = 34
const lineHeight = 20
const maxLines = 16

/** A hunk's lines: those at HEAD as removed, those of the file as added. */
function diffOf(session: GutterSession, hunk: LineHunk, model: monaco.editor.ITextModel): DiffHunk {
  const { original, modified } = hunk
  const removed = headLines(session, hunk).map((text, index): DiffLine => ({
    kind: 'removed',
    text,
    oldNumber: original.start + index,
  }))
  const added = Array.from({ length: modified.count }, (_, index): DiffLine => {
    const line = modified.start + index
    return { kind: 'added', text: line <= model.getLineCount() ? model.getLineContent(line) : '', newNumber: line }
  })
  return {
    oldStart: original.start,
    newStart: modified.start,
    section: '',
    lines: markChangedParts([...removed, ...added]),
  }
}

/**
 * Shows a change below its lines, with buttons. A view zone makes room for an overlay widget with the content, because
 * view zones do not receive pointer events.
 * @returns a function that closes it
 */
export function openChangePeek(editor: CodeEditor, options: PeekOptions): () => void {
  const { session, index } = options
  const hunk = session.hunks.head[index]
  const model = editor.getModel()
  if (!hunk || !model) return () => {}
  const diff = diffOf(session, hunk, model)
  const height = headerHeight + Math.min(maxLines, diff.lines.length) * lineHeight + 14
  const afterLine = Math.min(model.getLineCount(), hunk.modified.start + hunk.modified.count - 1)

  const node = document.createElement('div')
  node.className = 'git-peek'
  node.style.height = `${height}px`
  const place = () => {
    const { contentLeft, contentWidth, verticalScrollbarWidth } = editor.getLayoutInfo()
    node.style.left = `${contentLeft}px`
    node.style.width = `${contentWidth - verticalScrollbarWidth}px`
  }
  place()
  const widget: monaco.editor.IOverlayWidget = {
    getId: () => 'tizona.git.peek',
    getDomNode: () => node,
    getPosition: () => null,
  }
  let zone = ''
  editor.changeViewZones((accessor) => {
    zone = accessor.addZone({
      afterLineNumber: afterLine,
      heightInPx: height,
      domNode: document.createElement('div'),
      onDomNodeTop: (top) => {
        node.style.top = `${top}px`
      },
    })
  })
  editor.addOverlayWidget(widget)
  editor.revealLineInCenterIfOutsideViewport(Math.max(1, hunk.modified.start))
  const root = createRoot(node)
  root.render(<ChangePeek {...options} editor={editor} hunk={hunk} diff={diff} />)
  const layout = editor.onDidLayoutChange(place)
  return () => {
    layout.dispose()
    editor.removeOverlayWidget(widget)
    editor.changeViewZones((accessor) => accessor.removeZone(zone))
    // React must not unmount while it renders, for example after a click on a button inside.
    queueMicrotask(() => root.unmount())
  }
}

interface ChangePeekProps extends PeekOptions {
  editor: CodeEditor
  hunk: LineHunk
  diff: DiffHunk
}

function ChangePeek({ editor, session, index, hunk, diff, focus, onMove, onClose }: ChangePeekProps) {
  const first = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (focus) first.current?.focus()
  }, [focus])
  const count = session.hunks.head.length
  const staged = unstagedParts(session, hunk).length === 0
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    onClose()
  }
  const actions: HunkAction[] = [
    {
      label: 'Stage change',
      disabled: staged,
      run: () => {
        attemptGit(() => stageHunk(editor, session, hunk), 'Staging failed', lockSteps(session.repository.id))
        onClose()
      },
    },
    {
      label: 'Revert change',
      run: () => {
        revertHunk(editor, session, hunk)
        onClose()
      },
    },
  ]
  return (
    <section className="git-peek-body" aria-label={`Change ${index + 1} of ${count}`} onKeyDown={onKeyDown}>
      <header className="git-peek-header">
        <HunkNavigation
          total={count}
          index={index}
          note={staged ? '(staged)' : ''}
          shortcuts={{ previous: shortcutOf('git.previousChange'), next: shortcutOf('git.nextChange') }}
          firstButton={first}
          onStep={onMove}
        />
        <HunkActions actions={actions} />
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <div className="git-peek-lines">
        <DiffHunks hunks={[diff]} label="Changed lines" />
      </div>
    </section>
  )
}
