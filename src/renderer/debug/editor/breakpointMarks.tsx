import { createRoot } from 'react-dom/client'
import { Delayer } from '../../../shared/async/delayer.ts'
import type { BreakpointStatus, LineBreakpoint } from '../../../shared/debug/debug.ts'
import { shortcutOf } from '../../platform/commands.ts'
import { useDebug } from '../../platform/debug/debugStore.ts'
import type { EditorExtension } from '../../platform/editor/editorExtensions.ts'
import { monaco, pathOf } from '../../platform/editor/monaco/monaco.ts'
import { attempt } from '../../platform/notices.ts'
import { Menu, type MenuGroup } from '../../ui/index.ts'
import {
  breakpointsOf,
  editBreakpoint,
  enableBreakpoint,
  replaceBreakpoints,
  toggleBreakpoint,
} from '../lineBreakpoints.ts'
import './debugEditor.css'

/** Milliseconds without typing before moved breakpoints are stored. */
const settleMs = 400

/** Languages whose files never run. Their lines have no breakpoints, as in VS Code. */
const passiveLanguages = new Set(['plaintext', 'markdown', 'json', 'jsonc', 'css', 'scss', 'less', 'html', 'xml'])

const isPassive = (model: monaco.editor.ITextModel): boolean => passiveLanguages.has(model.getLanguageId())

/** Merges a breakpoint's statuses in all running sessions: verified if one session bound it. */
function statusOf(id: string): BreakpointStatus | undefined {
  const statuses = useDebug
    .getState()
    .sessions.filter(({ state }) => state === 'running' || state === 'stopped')
    .flatMap((session) => session.breakpoints[id] ?? [])
  return statuses.find(({ verified }) => verified) ?? statuses[0]
}

/** Pure: the class and the tooltip of a breakpoint. */
export function glyphOf(
  breakpoint: LineBreakpoint,
  status: BreakpointStatus | undefined,
): { className: string; hover: string } {
  const { condition, hitCondition, logMessage, enabled } = breakpoint
  const kind = logMessage !== undefined ? 'log' : (condition ?? hitCondition) !== undefined ? 'conditional' : 'line'
  const isUnbound = enabled && status?.verified === false
  const titles = { log: 'Logpoint', conditional: 'Conditional breakpoint', line: 'Breakpoint' }
  const details = [
    condition !== undefined && `Condition: ${condition}`,
    hitCondition !== undefined && `Hit count: ${hitCondition}`,
    logMessage !== undefined && `Message: ${logMessage}`,
    !enabled && 'Disabled',
    isUnbound && (status.message ?? 'The debugger has not bound this breakpoint.'),
  ].filter((each) => each !== false)
  const state = !enabled ? 'disabled' : isUnbound ? 'unbound' : 'enabled'
  return {
    className: `debug-glyph debug-glyph-${kind} debug-glyph-${state}`,
    hover: [titles[kind], ...details].join('\n\n'),
  }
}

function decorationOf(breakpoint: LineBreakpoint): monaco.editor.IModelDeltaDecoration {
  const { className, hover } = glyphOf(breakpoint, statusOf(breakpoint.id))
  return {
    range: new monaco.Range(breakpoint.line, 1, breakpoint.line, 1),
    options: {
      glyphMarginClassName: className,
      // Text of the user and of the debugger.
      glyphMarginHoverMessage: { value: hover, isTrusted: false, supportHtml: false },
      stickiness: monaco.editor.TrackedRangeStickiness.NeverGrowsWhenTypingAtEdges,
    },
  }
}

/** Shows breakpoints in the gutter, moves them with the text, and changes them by click and menu. */
export const breakpointMarks: EditorExtension = (editor) => {
  const marks = editor.createDecorationsCollection()
  /** Breakpoints in the order of their marks. */
  let shown: readonly LineBreakpoint[] = []
  let closeMenu: (() => void) | null = null
  const moving = new Delayer(storeMoved, settleMs)

  function path(): string | null {
    const model = editor.getModel()
    return model === null ? null : pathOf(model.uri)
  }

  function show(): void {
    const file = path()
    const lineCount = editor.getModel()?.getLineCount() ?? 0
    // Moved marks are stored first.
    if (moving.isWaiting) return
    shown = file === null ? [] : breakpointsOf(file).filter(({ line }) => line <= lineCount)
    marks.set(shown.map(decorationOf))
  }

  function storeMoved(): void {
    const file = path()
    if (file === null) return
    const ranges = marks.getRanges()
    const moved = new Map<number, LineBreakpoint>()
    for (const [index, breakpoint] of shown.entries()) {
      const line = ranges[index]?.startLineNumber
      if (line !== undefined && !moved.has(line)) moved.set(line, { ...breakpoint, line })
    }
    const known = breakpointsOf(file)
    const hidden = known.filter(({ id }) => !shown.some((each) => each.id === id))
    const next = [...moved.values(), ...hidden]
    const isSame =
      next.length === known.length &&
      next.every(({ id, line }) => known.some((each) => each.id === id && each.line === line))
    if (!isSame) attempt(() => replaceBreakpoints(file, next), 'Breakpoints could not be moved')
    show()
  }

  function openMenu(line: number, x: number, y: number): void {
    const file = path()
    if (file === null) return
    closeMenu?.()
    const host = document.body.appendChild(document.createElement('div'))
    const root = createRoot(host)
    closeMenu = () => {
      closeMenu = null
      root.unmount()
      host.remove()
    }
    root.render(<Menu label="Breakpoint" anchor={{ x, y }} groups={menuOf(file, line)} onClose={() => closeMenu?.()} />)
  }

  const subscriptions: monaco.IDisposable[] = [
    editor.onDidChangeModel(() => {
      moving.cancel()
      closeMenu?.()
      show()
    }),
    editor.onDidChangeModelContent(({ isFlush }) => {
      if (isFlush) show()
      else if (shown.length > 0) moving.restart()
    }),
    ...followGutterMouse(editor, { path, hasMark: (line) => shown.some((each) => each.line === line), openMenu }),
    {
      dispose: useDebug.subscribe((state, before) => {
        if (state.breakpoints !== before.breakpoints || state.sessions !== before.sessions) show()
      }),
    },
  ]
  show()
  return {
    dispose() {
      if (moving.isWaiting) storeMoved()
      moving.cancel()
      closeMenu?.()
      for (const each of subscriptions) each.dispose()
      marks.clear()
    },
  }
}

interface GutterActions {
  path(): string | null
  hasMark(line: number): boolean
  openMenu(line: number, x: number, y: number): void
}

/** Shows a hint under the pointer, toggles breakpoints by click, and opens the menu. */
function followGutterMouse(
  editor: monaco.editor.ICodeEditor,
  { path, hasMark, openMenu }: GutterActions,
): monaco.IDisposable[] {
  const hint = editor.createDecorationsCollection()
  /** Returns the line if a breakpoint can be added to it. */
  function freeLine(target: monaco.editor.IMouseTarget): number | undefined {
    const model = editor.getModel()
    const line = target.position?.lineNumber
    if (!isGlyphMargin(target) || model === null || isPassive(model) || line === undefined) return undefined
    return hasMark(line) ? undefined : line
  }
  return [
    editor.onMouseMove(({ target }) => {
      const line = freeLine(target)
      if (line === undefined) return hint.clear()
      const options = { glyphMarginClassName: 'debug-glyph debug-glyph-hint' }
      hint.set([{ range: new monaco.Range(line, 1, line, 1), options }])
    }),
    editor.onMouseLeave(() => hint.clear()),
    editor.onMouseDown(({ target, event }) => {
      const file = path()
      const line = target.position?.lineNumber
      if (!isGlyphMargin(target) || !event.leftButton || file === null || line === undefined) return
      if (!hasMark(line) && freeLine(target) === undefined) return
      hint.clear()
      attempt(() => toggleBreakpoint(file, line), 'The breakpoint could not be changed')
    }),
    editor.onContextMenu(({ target, event }) => {
      const line = target.position?.lineNumber
      if (!isGlyphMargin(target) || line === undefined) return
      event.preventDefault()
      event.stopPropagation()
      openMenu(line, event.posx, event.posy)
    }),
    { dispose: () => hint.clear() },
  ]
}

const isGlyphMargin = (target: monaco.editor.IMouseTarget): boolean =>
  target.type === monaco.editor.MouseTargetType.GUTTER_GLYPH_MARGIN

/** Builds the gutter's context menu. */
function menuOf(path: string, line: number): MenuGroup[] {
  const present = breakpointsOf(path).find((each) => each.line === line)
  const run = (action: () => Promise<void>) => () => attempt(action, 'The breakpoint could not be changed')
  const toggle = run(() => toggleBreakpoint(path, line))
  const edits = [
    { id: 'condition', label: 'Edit condition…', text: 'condition' },
    { id: 'hits', label: 'Edit hit count…', text: 'hitCondition' },
    { id: 'log', label: 'Edit log message…', text: 'logMessage' },
  ] as const
  if (present === undefined)
    return [
      {
        items: [
          { id: 'add', label: 'Add breakpoint', shortcut: shortcutOf('debug.toggleBreakpoint'), run: toggle },
          {
            id: 'condition',
            label: 'Add conditional breakpoint…',
            run: run(() => editBreakpoint(path, line, 'condition')),
          },
          {
            id: 'hits',
            label: 'Add breakpoint with hit count…',
            run: run(() => editBreakpoint(path, line, 'hitCondition')),
          },
          { id: 'log', label: 'Add logpoint…', run: run(() => editBreakpoint(path, line, 'logMessage')) },
        ],
      },
    ]
  return [
    {
      items: [
        { id: 'remove', label: 'Remove breakpoint', shortcut: shortcutOf('debug.toggleBreakpoint'), run: toggle },
        {
          id: 'enable',
          label: present.enabled ? 'Disable breakpoint' : 'Enable breakpoint',
          run: run(() => enableBreakpoint(path, line, !present.enabled)),
        },
      ],
    },
    {
      items: edits.map(({ id, label, text }) => ({
        id,
        label,
        run: run(() => editBreakpoint(path, line, text)),
      })),
    },
  ]
}
