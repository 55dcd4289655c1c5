import type { Completions } from '../completion/completions.ts'
import type { CompletionFiguresStore } from '../completion/completionFigures.ts'
import type { FimClient } from '../model/fim/fimClient.ts'
import { ModelError } from '../model/clients/modelClient.ts'
import { ToolError } from '../../shared/errors.ts'
import type { Handlers } from './handlers.ts'

type CompletionHandlers = Pick<
  Handlers,
  | 'completion.suggest'
  | 'completion.cancel'
  | 'completion.seen'
  | 'completion.outcome'
  | 'completion.figures'
  | 'completion.resetFigures'
  | 'completion.test'
>

export interface CompletionHandlerDeps {
  completions: Completions
  client: FimClient
  figures: CompletionFiguresStore
}

/** A function without a body: every model for code has something to suggest. */
const testFile = {
  path: 'sum.py',
  before: 'def sum_of_squares(numbers):\n    """Returns the sum of the squares."""\n    ',
  after: '\n\n\nprint(sum_of_squares([1, 2, 3]))\n',
}
const maxSample = 200

/** Handles the requests of inline completion. A failed request to a model keeps its hint. */
export function createCompletionHandlers({ completions, client, figures }: CompletionHandlerDeps): CompletionHandlers {
  return {
    'completion.suggest': (params, closed) => completions.suggest(params, closed),
    'completion.cancel': ({ id }) => completions.cancel(id),
    'completion.seen': (code) => completions.seen(code),
    'completion.outcome': (outcome) => figures.count(outcome),
    'completion.figures': () => figures.get(),
    'completion.resetFigures': async () => {
      await figures.reset()
      return figures.get()
    },
    'completion.test': async (choice, closed) => {
      try {
        const form = await client.detect(choice, closed)
        const started = performance.now()
        const text = await client.complete(
          choice,
          { file: testFile, chunks: [], indent: 4, maxTokens: 32, predictMs: 2000 },
          closed,
        )
        return { form, ms: Math.round(performance.now() - started), sample: text.trim().slice(0, maxSample) }
      } catch (error) {
        if (error instanceof ModelError)
          throw new ToolError('server_error', error.message, error.hint, { cause: error })
        throw error
      }
    },
  }
}
