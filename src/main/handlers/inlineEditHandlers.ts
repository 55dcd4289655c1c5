import { ToolError } from '../../shared/errors.ts'
import type { InlineEdits } from '../inlineEdit/inlineEdits.ts'
import { ModelError } from '../model/clients/modelClient.ts'
import type { Handlers } from './handlers.ts'

type InlineEditHandlers = Pick<Handlers, 'inlineEdit.run' | 'inlineEdit.cancel'>

/** Handles the requests of inline edits. A failed request to a model keeps its hint. */
export function createInlineEditHandlers(edits: InlineEdits): InlineEditHandlers {
  return {
    'inlineEdit.run': async (edit, closed) => {
      try {
        return await edits.run(edit, closed)
      } catch (error) {
        if (error instanceof ModelError)
          throw new ToolError('server_error', error.message, error.hint, { cause: error })
        throw error
      }
    },
    'inlineEdit.cancel': ({ id }) => edits.cancel(id),
  }
}
