import { memo, useEffect, useMemo, useRef, useState, type MouseEvent, type RefObject } from 'react'
import { useStore } from 'zustand'
import { cellMember, type NotebookCell } from '../../shared/notebook/notebook.ts'
import { finishedOutputs, noOutputs, readOutputs, type CellOutput } from '../../shared/notebook/outputs.ts'
import { ErrorBoundary } from '../platform/ErrorBoundary.tsx'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { MarkdownFile } from '../platform/markdown/markdownFile.ts'
import { formatKeys, isMac } from '../platform/keymap/keyNotation.ts'
import { IconButton, Menu, type MenuAnchor } from '../ui/index.ts'
import { answerInput, cellId, executionOf, interruptKernel, runCell, useKernels } from './kernelStore.ts'
import { InputField, RunLine } from './RunState.tsx'
import { CellActions, cellMenu } from './CellActions.tsx'
import type { NotebookSession } from './notebookSession.ts'
import { OutputView } from './OutputView.tsx'

const Markdown = lazyView(async () => (await import('../platform/markdown/Markdown.tsx')).Markdown, null)
const CellEditor = lazyView(async () => (await import('./CellEditor.tsx')).default, null)

/** Estimated height of a line, and of what surrounds a cell's text, in pixels. */
const estimated = { line: 21, around: 40, output: 60 }
/** Milliseconds for which a cell is visible before it gets an editor, so that scrolling past many costs little. */
const editorDelay = 120

export interface CellViewProps {
  session: NotebookSession
  cell: NotebookCell
  /** Position, from 1. */
  number: number
  language: string
  selected: boolean
  /** Whether it is one of several selected cells. */
  marked: boolean
  editing: boolean
}

/** Remembers the last height of cells, so that those out of sight keep it. */
const heights = new Map<string, number>()

/** A cell. Only near the visible part of the notebook does it have an editor and outputs. */
export const CellView = memo(function CellView(props: CellViewProps) {
  const { session, cell, number, selected, marked, editing } = props
  const element = useRef<HTMLElement>(null)
  const near = useNear(element) || selected
  const label = `Cell ${number}, ${typeNames[cell.type]}`
  const isMarked = marked || undefined
  const wasShown = useRef(false)
  const [menu, setMenu] = useState<MenuAnchor | null>(null)
  useEffect(() => {
    // A cell that was removed leaves the focus to nothing.
    const focused = document.activeElement?.closest('.notebook') && !document.activeElement.closest('.notebook-find')
    const hadFocus = focused || (wasShown.current && isFocusLost())
    wasShown.current = true
    if (!selected) return
    if (!editing && hadFocus && !isWithin(element.current)) element.current?.focus()
    element.current?.scrollIntoView({ block: 'nearest' })
  }, [selected, editing])

  return (
    <section
      ref={element}
      className="notebook-cell"
      aria-label={label}
      tabIndex={selected ? 0 : -1}
      data-key={cell.key}
      data-type={cell.type}
      data-selected={selected}
      data-marked={isMarked}
      aria-current={isMarked}
      data-editing={selected && editing}
      data-autofocus={selected || undefined}
      style={near ? undefined : { height: heights.get(cell.key) ?? estimatedHeight(cell) }}
      onMouseDownCapture={(event) => selectByMouse(event, props)}
      onContextMenu={(event) => {
        // The editor has a menu of its own. A selection can be copied with that of the system.
        if (isEditor(event.target) || document.getSelection()?.isCollapsed === false) return
        event.preventDefault()
        if (!marked) session.select(cell.key)
        setMenu({ x: event.clientX, y: event.clientY })
      }}
      onFocus={(event) => {
        const isHead = session.store.getState().selected === cell.key
        if (event.target === element.current) {
          // The focus follows a selection of several cells.
          if (!isHead || editing) session.focus(cell.key)
        } else if (isHead) return
        else if (isEditor(event.target)) session.select(cell.key, { editing: true })
        else session.focus(cell.key)
      }}
    >
      {near && <CellContent {...props} label={label} host={element} />}
      {menu && (
        <Menu
          groups={cellMenu(session, cell)}
          anchor={menu}
          label={`Actions of cell ${number}`}
          onClose={() => setMenu(null)}
        />
      )}
    </section>
  )
})

/** Shift+click extends the selection, Ctrl+click adds a cell or takes it away, and a click ends it. */
function selectByMouse(event: MouseEvent<HTMLElement>, { session, cell, marked, editing }: CellViewProps): void {
  const { target, button, shiftKey, altKey } = event
  const toggles = isMac ? event.metaKey : event.ctrlKey
  if (button !== 0 || altKey || editing || !(target instanceof Element)) return
  // Links and buttons do what they do with these keys elsewhere.
  if (target.closest('a, button, summary, input, [role="menu"]')) return
  if (!shiftKey && !toggles) {
    if (marked) session.select(cell.key)
    return
  }
  event.preventDefault()
  event.stopPropagation()
  if (shiftKey) session.extendTo(cell.key)
  else session.toggle(cell.key)
  const head = session.store.getState().selected ?? ''
  event.currentTarget.parentElement?.querySelector<HTMLElement>(`[data-key="${CSS.escape(head)}"]`)?.focus()
}

const typeNames = { code: 'code', markdown: 'Markdown', raw: 'raw text' } as const

const isEditor = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('.monaco-editor') !== null

/** Whether the focus is in a cell, but not in an editor that its text no longer has. */
const isWithin = (cell: HTMLElement | null): boolean =>
  cell !== null && cell.contains(document.activeElement) && !isEditor(document.activeElement ?? cell)

const isFocusLost = (): boolean => document.activeElement === null || document.activeElement === document.body

function estimatedHeight({ source, type, executionCount }: NotebookCell): number {
  const lines = source.split('\n').length
  return lines * estimated.line + estimated.around + (type === 'code' && executionCount !== null ? estimated.output : 0)
}

interface CellContentProps extends CellViewProps {
  label: string
  host: RefObject<HTMLElement | null>
}

function CellContent({ session, cell, number, language, selected, editing, label, host }: CellContentProps) {
  const content = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => heights.set(cell.key, element.offsetHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [cell.key, host])
  const isFound = useStore(session.store, ({ find }) => find?.current?.key === cell.key)
  const showsText = cell.type !== 'markdown' || (selected && editing) || isFound || cell.source.trim() === ''
  return (
    <>
      <div className="notebook-gutter">
        <CellStart session={session} cell={cell} number={number} />
      </div>
      <div className="notebook-content" ref={content}>
        {showsText ? (
          <CellText {...{ session, cell, language, selected, editing, label }} />
        ) : (
          <div
            className="notebook-markdown"
            data-testid="cell-markdown"
            onDoubleClick={() => session.select(cell.key, { editing: true })}
            onClick={() => host.current?.focus()}
          >
            <MarkdownFile value={session.path}>
              <Markdown text={cell.source} streaming={false} />
            </MarkdownFile>
          </div>
        )}
        {cell.type === 'code' && <Outputs session={session} cell={cell} />}
      </div>
      <CellActions session={session} cell={cell} number={number} />
    </>
  )
}

/** The button that runs a code cell, and the number of its last run. */
function CellStart({ session, cell, number }: Pick<CellViewProps, 'session' | 'cell' | 'number'>) {
  const execution = useKernels((state) => executionOf(state, session.path, cell.key))
  if (cell.type !== 'code') return null
  return (
    <>
      {execution ? (
        <IconButton
          icon={execution.state === 'running' ? 'debug-stop' : 'watch'}
          label={
            execution.state === 'running' ? `Interrupt cell ${number}` : `Cell ${number} waits. Interrupt the kernel`
          }
          onClick={() => interruptKernel(session.path)}
        />
      ) : (
        <IconButton
          icon="play"
          label={`Run cell ${number}`}
          shortcut={formatKeys('Ctrl+Enter')}
          onClick={() => runCell(session, cell.key)}
        />
      )}
      <span className="notebook-count">{`[${execution ? '*' : (cell.executionCount ?? ' ')}]`}</span>
    </>
  )
}

type CellTextProps = Pick<CellContentProps, 'session' | 'cell' | 'language' | 'selected' | 'editing' | 'label'>

/** The text of a cell, first without an editor. */
function CellText({ session, cell, language, selected, editing, label }: CellTextProps) {
  const [hasEditor, setHasEditor] = useState(selected && editing)
  useEffect(() => {
    const timer = setTimeout(() => setHasEditor(true), editorDelay)
    return () => clearTimeout(timer)
  }, [])
  if (!hasEditor && !(selected && editing)) return <pre className="notebook-plain">{cell.source || ' '}</pre>
  return (
    <CellEditor
      session={session}
      cellKey={cell.key}
      source={cell.source}
      type={cell.type}
      language={language}
      label={`${label}, text`}
      editing={selected && editing}
      onFocus={() => session.select(cell.key, { editing: true })}
    />
  )
}

/** Outputs that the file has. Decoded again only if something else than the source of the cell changes. */
function useStoredOutputs(cell: NotebookCell): readonly CellOutput[] {
  // oxlint-disable-next-line react/exhaustive-deps -- Outputs are in the rest.
  return useMemo(() => readOutputs(cellMember(cell, 'outputs')), [cell.rest])
}

/** The outputs of a code cell: those of its run while it runs, else those of the file. */
function Outputs({ session, cell }: Pick<CellViewProps, 'session' | 'cell'>) {
  const id = cellId(session.path, cell.key)
  const execution = useKernels((state) => executionOf(state, session.path, cell.key))
  const progress = useKernels((state) => state.progress[id])
  const lastRun = useKernels((state) => state.lastRuns[id])
  const stored = useStoredOutputs(cell)
  const isRunning = execution?.state === 'running'
  const outputs = isRunning ? finishedOutputs(progress ?? noOutputs) : stored
  return (
    <>
      <RunLine execution={execution} lastRun={lastRun} />
      {outputs.length > 0 && (
        <div className="notebook-outputs" data-testid="cell-outputs">
          {outputs.map((output, index) => (
            <ErrorBoundary key={index} name="output">
              <OutputView output={output} session={session} cellKey={cell.key} index={isRunning ? -1 : index} />
            </ErrorBoundary>
          ))}
        </div>
      )}
      {execution?.input && (
        <InputField
          prompt={execution.input.prompt}
          password={execution.input.password}
          onAnswer={(text) => answerInput(session.path, cell.key, text)}
        />
      )}
    </>
  )
}

/** Whether an element is near the visible part of its scroll container. */
function useNear(element: RefObject<HTMLElement | null>): boolean {
  const [near, setNear] = useState(false)
  useEffect(() => {
    const target = element.current
    if (!target) return undefined
    return observeNear(target, setNear)
  }, [element])
  return near
}

const observers = new WeakMap<Element, IntersectionObserver>()
const listeners = new WeakMap<Element, (near: boolean) => void>()

/** One observer for all cells of a list. */
function observeNear(target: HTMLElement, listener: (near: boolean) => void): () => void {
  const root = target.closest('.notebook-cells')
  if (!root) return () => undefined
  const observer =
    observers.get(root) ??
    new IntersectionObserver(
      (entries) => {
        for (const entry of entries) listeners.get(entry.target)?.(entry.isIntersecting)
      },
      { root, rootMargin: '800px 0px' },
    )
  observers.set(root, observer)
  listeners.set(target, listener)
  observer.observe(target)
  return () => {
    observer.unobserve(target)
    listeners.delete(target)
  }
}
