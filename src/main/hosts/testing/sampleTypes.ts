import type { EditorRequestName, EditorRequests } from '../../../shared/editor/editorRequests.ts'
import type {
  EventName,
  Events,
  HandledParams,
  RequestName,
  RequestParams,
  RequestResult,
} from '../../../shared/bridge/protocol.ts'

/** A sample of every request of the protocol, for the contract tests. A missing sample is a compile error. */
export type RequestRows = {
  [N in RequestName]: { send: RequestParams<N>; handled: HandledParams<N>; result: RequestResult<N> }
}
export type EventRows = { [N in EventName]: Events[N] }
export type EditorRequestRows = {
  [N in EditorRequestName]: { params: EditorRequests[N]['params']; result: EditorRequests[N]['result'] }
}
