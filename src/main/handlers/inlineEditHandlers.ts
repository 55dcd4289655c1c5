import { ToolError } from '../../shared/errors.ts'
import type { CodeIndex } from '../code/index/codeIndex.ts'
import type { InlineEdits } from '../inlineEdit/inlineEdits.ts'
import { placeBlock, type SymbolsOf } from '../inlineEdit/placeBlock.ts'
import { ModelError } from '../model/clients/modelClient.ts'
import type { Handlers } from './handlers.ts'

type InlineEditHandlers = Pick<Handlers, 'inlineEdit.run' | 'inlineEdit.cancel' | 'inlineEdit.place'>

/**
 * Handles the requests of inline edits. A failed request to a model keeps its hint.
 * @param code returns the index of the open folder
 * @throws ToolError no_workspace
 */
export function createInlineEditHandlers(
  edits: InlineEdits,
  code: () => Pick<CodeIndex, 'symbolsIn'>,
): InlineEditHandlers {
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
    'inlineEdit.place': (params, signal) => placeBlock(params, symbolsOf(code(), params.path, signal)),
    'inlineEdit.cancel': ({ id }) => edits.cancel(id),
  }
}

function symbolsOf(code: Pick<CodeIndex, 'symbolsIn'>, path: string, signal: AbortSignal): SymbolsOf {
  return async (text) =>
    (await code.symbolsIn(path, text, signal)).map(({ name, range }) => ({
      name,
      line: range.line,
      endLine: range.endLine,
    }))
}
