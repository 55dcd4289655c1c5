import { z } from 'zod'
import { request, noParams, id } from '../bridge/requestType.ts'
import {
  completionModelSchema,
  completionOutcomeSchema,
  completionSchema,
  nextEditSchema,
  seenCodeSchema,
  type CompletionAnswer,
  type CompletionFigures,
  type CompletionTest,
  type NextEditAnswer,
} from './inlineCompletion.ts'

export const completionRequests = {
  /** Requests how the text continues at the cursor. Cancels the previous request. */
  'completion.suggest': request<CompletionAnswer>()(completionSchema),
  /** Predicts the next edit near the cursor. Cancels the previous request. */
  'completion.nextEdit': request<NextEditAnswer>()(nextEditSchema),
  'completion.cancel': request<void>()(z.object({ id })),
  /** Sends code that the user has left, saved or copied, as context for suggestions. */
  'completion.seen': request<void>()(seenCodeSchema),
  /** Counts what became of suggestions. */
  'completion.outcome': request<void>()(completionOutcomeSchema),
  'completion.figures': request<CompletionFigures>()(noParams),
  'completion.resetFigures': request<CompletionFigures>()(noParams),
  /** Requests a short suggestion from a model. */
  'completion.test': request<CompletionTest>()(completionModelSchema),
  /** Requests a next edit in a short example from a model. */
  'completion.testNextEdit': request<CompletionTest>()(completionModelSchema),
} as const
