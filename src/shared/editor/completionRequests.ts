import { z } from 'zod'
import { request, noParams, id } from '../requestType.ts'
import {
  completionModelSchema,
  completionOutcomeSchema,
  completionSchema,
  nextEditSchema,
  seenCodeSchema,
  type CompletionSuggestion,
  type CompletionFigures,
  type CompletionTest,
  type NextEdit,
} from './inlineCompletion.ts'

export const completionRequests = {
  /** Suggests how the text continues at the cursor. Cancels the previous request. */
  'completion.suggest': request<CompletionSuggestion>()(() => completionSchema),
  /** Predicts the next edit near the cursor. Cancels the previous request. */
  'completion.nextEdit': request<NextEdit>()(() => nextEditSchema),
  'completion.cancel': request<void>()(() => z.object({ id })),
  /** Sends code that the user has just left, saved or copied, as context for suggestions. */
  'completion.seen': request<void>()(() => seenCodeSchema),
  /** Counts the outcomes of suggestions. */
  'completion.outcome': request<void>()(() => completionOutcomeSchema),
  'completion.figures': request<CompletionFigures>()(() => noParams),
  'completion.resetFigures': request<CompletionFigures>()(() => noParams),
  /** Asks a model for a short suggestion. */
  'completion.test': request<CompletionTest>()(() => completionModelSchema),
  /** Asks a model for the next edit in a short example. */
  'completion.testNextEdit': request<CompletionTest>()(() => completionModelSchema),
} as const
