import type { EditorAskName, EditorAsks } from '../../shared/editorRequests.ts'

/** Sends requests to the attached window. Fails with `no_window` while none is attached. */
export interface EditorPort {
  readonly attached: boolean
  ask<N extends EditorAskName>(
    name: N,
    params: EditorAsks[N]['params'],
    signal?: AbortSignal,
  ): Promise<EditorAsks[N]['result']>
}
