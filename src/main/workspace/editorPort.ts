import type { EditorAskName, EditorAsks } from '../../shared/editorRequests.ts'

/** Asks the attached window. Without one every ask fails with `no_window`. */
export interface EditorPort {
  readonly attached: boolean
  ask<N extends EditorAskName>(
    name: N,
    params: EditorAsks[N]['params'],
    signal?: AbortSignal,
  ): Promise<EditorAsks[N]['result']>
}
