import type { z } from 'zod'

/** Parameter schema and result type of a request. */
export interface RequestType<P extends z.ZodType, R> {
  params: P
  result?: R
}

/** Declares a request with the result type `R`. */
export const request =
  <R>() =>
  <P extends z.ZodType>(params: P): RequestType<P, R> => ({ params })
