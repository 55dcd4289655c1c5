import type { EditorRequestName, EditorRequests } from '../../shared/editor/editorRequests.ts'

/** Sends requests to the attached window. Fails with `no_window` while none is attached. */
export interface EditorPort {
  readonly attached: boolean
  ask<N extends EditorRequestName>(
    name: N,
    params: EditorRequests[N]['params'],
    signal?: AbortSignal,
  ): Promise<EditorRequests[N]['result']>
}

type Answers = {
  [N in EditorRequestName]?: (
    params: EditorRequests[N]['params'],
    signal?: AbortSignal,
  ) => Promise<EditorRequests[N]['result']>
}

/** Returns an editor that handles some requests itself. */
export function portWith(editor: EditorPort, answers: Answers): EditorPort {
  return {
    get attached() {
      return editor.attached
    },
    ask(name, params, signal) {
      const own = answers[name]
      return own === undefined ? editor.ask(name, params, signal) : own(params, signal)
    },
  }
}
