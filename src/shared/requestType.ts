import { z } from 'zod'
import { once } from './async/once.ts'

/** Parameter schema and result type of a request. */
export interface RequestType<P extends z.ZodType, R> {
  readonly params: P
  result?: R
}

/**
 * Declares a request with the result type `R`. Its schema is built when it is first read, because building all of them
 * would take a tenth of the time to start.
 */
export const request =
  <R>() =>
  <P extends z.ZodType>(build: () => P): RequestType<P, R> => {
    const schema = once(build)
    return {
      get params() {
        return schema()
      },
    }
  }

// Parameters that several subjects use.

export const noParams = z.object({})
export const path = z.string().max(4096)
export const id = z.string().min(1).max(200)
export const modelOfEndpoint = z.object({ endpointId: id, model: z.string().trim().min(1).max(200) })
/** Slash command of the MCP server prompt that began a message. */
export const serverPrompt = z.string().min(1).max(200).optional()
