import { z } from 'zod'

/** Parameter schema and result type of a request. */
export interface RequestType<P extends z.ZodType, R> {
  params: P
  result?: R
}

/** Declares a request with the result type `R`. */
export const request =
  <R>() =>
  <P extends z.ZodType>(params: P): RequestType<P, R> => ({ params })

// Parameters that several subjects use.

export const noParams = z.object({})
export const path = z.string().max(4096)
export const id = z.string().min(1).max(200)
export const modelOfEndpoint = z.object({ endpointId: id, model: z.string().trim().min(1).max(200) })
/** Slash command of the MCP server prompt that began a message. */
export const serverPrompt = z.string().min(1).max(200).optional()
