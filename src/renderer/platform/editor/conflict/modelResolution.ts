import { ToolError } from '../../../../shared/errors.ts'
import { request } from '../../bridge/bridge.ts'
import { useChat } from '../../conversation/chatStore.ts'
import { describeTarget, linesOf } from '../editTarget.ts'
import { createProposalView } from '../hunks/proposalView.tsx'
import type { monaco } from '../monaco/monaco.ts'
import { hasLeftMarker, parseConflicts, type Conflict } from './conflictMarkers.ts'
import { replaceConflict } from './showConflicts.ts'

/** `running`: the model is answering. `shown`: its proposal can be accepted or rejected. */
export type ProposalState = 'none' | 'running' | 'shown'

/** Resolutions of conflicts that the model proposes. The text changes only when the user accepts one. */
export interface ModelResolution {
  /** Asks for a resolution of a conflict, and shows it as a hunk. @throws ToolError if the answer is not usable */
  ask(index: number): Promise<void>
  /** Cancels the request. */
  stop(): void
  dispose(): void
}

const instruction =
  'The selected lines are an unresolved merge conflict: our lines after "<<<<<<<", the lines of the common base after ' +
  '"|||||||" if there are any, and their lines between "=======" and ">>>>>>>". Replace all of them, including the ' +
  'markers, with lines that keep what both sides intended to change.'

export function createModelResolution(
  editor: monaco.editor.IStandaloneCodeEditor,
  path: string,
  onState: (state: ProposalState) => void,
): ModelResolution {
  const view = createProposalView(editor, { accept, reject: () => clear() }, 1)
  let proposed: { conflict: Conflict; lines: readonly string[] } | null = null
  let running: string | null = null

  function clear(): void {
    proposed = null
    view.clear()
    onState(running === null ? 'none' : 'running')
  }

  function accept(): void {
    const { conflict, lines } = proposed ?? {}
    clear()
    if (conflict && lines) replaceConflict(editor, conflict, lines)
  }

  function stop(): void {
    if (running !== null) request('inlineEdit.cancel', { id: running }).catch(() => undefined)
    running = null
    clear()
  }

  // A proposal fits only the text that the model has seen.
  const subscription = editor.onDidChangeModelContent(() => {
    if (proposed !== null || running !== null) stop()
  })

  return {
    async ask(index) {
      const model = editor.getModel()
      const conflict = model && parseConflicts(model.getLinesContent())[index]
      if (!model || !conflict) return
      stop()
      const range = { start: conflict.startLine, count: conflict.endLine - conflict.startLine + 1 }
      const id = crypto.randomUUID()
      running = id
      clear()
      try {
        const { lines } = await request('inlineEdit.run', {
          ...describeTarget(model, path, range),
          selection: linesOf(model, range),
          id,
          conversationId: useChat.getState().info?.id,
          instruction,
          earlier: [],
        })
        if (running !== id) return
        if (hasLeftMarker(lines, conflict))
          throw new ToolError(
            'no_change',
            'The model left conflict markers.',
            'Ask again, or choose the lines yourself.',
          )
        proposed = { conflict, lines }
      } finally {
        if (running === id) {
          running = null
          onState(proposed === null ? 'none' : 'shown')
        }
      }
      editor.revealLineNearTop(range.start)
      view.show([{ start: 0, removed: range.count, added: [...(proposed?.lines ?? [])] }], range.start, true)
    },
    stop,
    dispose() {
      stop()
      subscription.dispose()
      view.dispose()
    },
  }
}
