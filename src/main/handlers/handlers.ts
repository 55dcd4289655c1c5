import type { HandledParams, RequestName, RequestResult } from '../../shared/protocol.ts'

/** Answers one kind of request. `params` were checked and filled with defaults before. */
export type Handler<N extends RequestName> = (
  params: HandledParams<N>,
  signal: AbortSignal,
) => Promise<RequestResult<N>> | RequestResult<N>

/** One handler for every request of the protocol; the type makes a missing one a compile error. */
export type Handlers = { [N in RequestName]: Handler<N> }
