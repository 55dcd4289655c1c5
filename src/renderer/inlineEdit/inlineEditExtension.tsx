import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import type { LineRange } from '../../shared/diff/lineHunks.ts'
import type { EditorExtension } from '../platform/editor/editorExtensions.ts'
import { escapeIsFree } from '../platform/editor/escapeOrder.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { waitForView } from '../platform/editor/editorViews.ts'
import { fileTab } from '../platform/editor/tabsState.ts'
import { lastUsedFile, showTab, useTabs } from '../platform/editor/tabsStore.ts'
import { request } from '../platform/bridge/bridge.ts'
import { ToolError } from '../../shared/errors.ts'
import { runCommand } from '../platform/commands.ts'
import { notify } from '../platform/notices.ts'
import { describeFile, rangeOf } from '../platform/editor/editTarget.ts'
import { InlineEditBox } from './InlineEditBox.tsx'
import { createInlineEditSession, type InlineEditSession } from './inlineEditSession.ts'
import { createProposalView } from '../platform/editor/hunks/proposalView.tsx'
import { createZoneWidget } from '../platform/editor/zoneWidget.ts'
import './inlineEdit.css'

type Editor = monaco.editor.IStandaloneCodeEditor

export interface CodeBlock {
  code: string
  /** As the model wrote it; '' if it wrote none. */
  language: string
}

/** The inline edits of an editor, at most one per file. */
interface EditorInlineEdits {
  /** Opens an edit at the selection, or focuses the open one. @param typed text to append to its instruction */
  start(typed: string): void
  /** Shows how a code block changes the file. Replaces an open edit. */
  apply(block: CodeBlock): Promise<void>
  dispose(): void
}

const attached = new Map<Editor, EditorInlineEdits>()

/** Adds inline edits to a code editor. */
export const attachInlineEdit: EditorExtension = (editor) => {
  const edits = createEditorInlineEdits(editor)
  attached.set(editor, edits)
  return {
    dispose() {
      attached.delete(editor)
      edits.dispose()
    },
  }
}

/** Opens an inline edit in the active editor group. @param typed text to append to its instruction */
export function startInlineEdit(typed = ''): void {
  editsOf(useTabs.getState().activeGroup)?.start(typed)
}

/** Shows how a code block changes the most recently used file. */
export async function applyCodeBlock(block: CodeBlock): Promise<void> {
  const target = lastUsedFile()
  if (target) showTab(fileTab(target.path), target.groupId)
  const view = target && (await waitForView(target.groupId, target.path))
  const edits = view && editsOf(target.groupId)
  if (!edits)
    return notify('warning', 'The code could not be applied, because no file is open.', {
      detail: 'Open the file to change, then apply the code again.',
    })
  await edits.apply(block)
}

function editsOf(groupId: number): EditorInlineEdits | undefined {
  const group = `[data-testid="editor-group-${groupId}"]`
  return [...attached].find(([editor]) => editor.getModel() && editor.getContainerDomNode().closest(group))?.[1]
}

function createEditorInlineEdits(editor: Editor): EditorInlineEdits {
  const sessions = new Map<monaco.editor.ITextModel, InlineEditSession>()
  const phase = editor.createContextKey<string>('tizonaInlineEdit', '')
  let hide: (() => void) | null = null

  /** Shows the active file's edit. Edits of other files continue without being visible. */
  function showActive(): void {
    hide?.()
    hide = null
    const model = editor.getModel()
    const session = model && sessions.get(model)
    if (session) hide = showSession(editor, session, (name) => phase.set(name))
    else phase.set('')
  }

  const active = (): InlineEditSession | undefined => sessions.get(editor.getModel() ?? neverShown)
  function open(model: monaco.editor.ITextModel, path: string, range: LineRange): InlineEditSession {
    const session = createInlineEditSession({
      editor,
      model,
      path,
      range,
      onClosed() {
        sessions.delete(model)
        if (editor.getModel() !== model) return
        const focused = editor.getContainerDomNode().contains(document.activeElement)
        showActive()
        if (focused) editor.focus()
      },
    })
    sessions.set(model, session)
    showActive()
    return session
  }

  const subscriptions = [editor.onDidChangeModel(showActive), ...editorActions(editor, active)]
  /** Returns the editor's file. Shows a notice if it cannot be changed. */
  function editable(): { model: monaco.editor.ITextModel; path: string; selection: monaco.Selection } | null {
    const model = editor.getModel()
    const path = model && pathOf(model.uri)
    const selection = editor.getSelection()
    if (!model || path === null || !selection) return null
    if (!editor.getOption(monaco.editor.EditorOption.readOnly)) return { model, path, selection }
    notify('warning', `${path} is read-only, so it cannot be edited.`)
    return null
  }

  return {
    start(typed) {
      const file = editable()
      if (!file) return
      const known = sessions.get(file.model)
      known?.focus()
      const session = known ?? open(file.model, file.path, rangeOf(file.model, file.selection))
      if (typed !== '') session.setDraft(session.store.getState().draft + typed)
    },
    async apply(block) {
      const file = editable()
      if (!file) return
      const { model, path } = file
      const version = model.getVersionId()
      const place = await request('inlineEdit.place', { ...describeFile(model, file.selection), path, ...block })
      if (editor.getModel() !== model || model.getVersionId() !== version)
        throw new ToolError('conflict', `${path} has changed in the meantime.`, 'Apply the code again.')
      sessions.get(model)?.close()
      editor.revealLineInCenterIfOutsideViewport(Math.min(place.start, model.getLineCount()))
      const session = open(model, path, { start: place.start, count: place.count })
      if ('lines' in place) session.propose(place.lines, `Apply this code:\n\n${block.code}`)
      else await session.send(place.instruction)
    },
    dispose() {
      for (const session of Array.from(sessions.values())) session.close()
      hide?.()
      for (const subscription of subscriptions) subscription.dispose()
    },
  }
}

/** Key for an editor that shows no file. */
const neverShown = {} as monaco.editor.ITextModel

/** Shows an edit's box and proposal. @returns a function that hides it */
function showSession(editor: Editor, session: InlineEditSession, setPhase: (phase: string) => void): () => void {
  const widget = createZoneWidget(editor, session.range().start - 1, 'inline-edit-widget')
  const view = createProposalView(editor, session)
  const root = createRoot(widget.node)
  // The input must have the focus before the next key.
  flushSync(() => root.render(<InlineEditBox session={session} />))
  const show = (): void => {
    const state = session.store.getState()
    setPhase(state.phase)
    view.show(state.hunks, session.range().start, state.phase === 'result')
  }
  show()
  const unsubscribe = session.store.subscribe((state, before) => {
    if (state.hunks !== before.hunks || state.phase !== before.phase) show()
  })
  return () => {
    unsubscribe()
    view.dispose()
    widget.dispose()
    // React may be rendering this root now.
    queueMicrotask(() => root.unmount())
  }
}

/** Adds an edit's keys for when the focus is in the text, and the context menu item. */
function editorActions(editor: Editor, active: () => InlineEditSession | undefined): monaco.IDisposable[] {
  return [
    editor.addAction({
      id: 'tizona.inlineEdit.accept',
      label: 'Accept inline edit',
      keybindings: [monaco.KeyMod.CtrlCmd | monaco.KeyCode.Enter],
      precondition: "tizonaInlineEdit == 'result'",
      run: () => active()?.accept(),
    }),
    editor.addAction({
      id: 'tizona.inlineEdit.reject',
      label: 'Reject inline edit',
      keybindings: [monaco.KeyCode.Escape],
      precondition: 'tizonaInlineEdit',
      keybindingContext: escapeIsFree,
      run() {
        const session = active()
        if (session?.store.getState().phase === 'running') session.stop()
        else session?.reject()
      },
    }),
    editor.addAction({
      id: 'tizona.inlineEdit.start',
      label: 'Edit inline…',
      keybindings: [monaco.KeyMod.CtrlCmd | monaco.KeyCode.KeyI],
      contextMenuGroupId: '1_modification',
      contextMenuOrder: 0,
      run: () => void runCommand('inlineEdit.start'),
    }),
  ]
}
