import type { HandledParams, RequestName, RequestResult } from '../../shared/bridge/protocol.ts'

/** Handles one kind of request. `params` are validated and include defaults. */
export type Handler<N extends RequestName> = (
  params: HandledParams<N>,
  signal: AbortSignal,
) => Promise<RequestResult<N>> | RequestResult<N>

/** One handler for every request of the protocol. */
export type Handlers = { [N in RequestName]: Handler<N> }
