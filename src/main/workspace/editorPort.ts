import type { EditorRequestName, EditorRequests } from '../../shared/editorRequests.ts'

/** Sends requests to the attached window. Fails with `no_window` while none is attached. */
export interface EditorPort {
  readonly attached: boolean
  ask<N extends EditorRequestName>(
    name: N,
    params: EditorRequests[N]['params'],
    signal?: AbortSignal,
  ): Promise<EditorRequests[N]['result']>
}
