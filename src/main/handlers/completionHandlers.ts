import { ToolError } from '../../shared/errors.ts'
import type { InlineCompletion } from '../core/inlineModels.ts'
import type { CodeIndex } from '../code/codeIndex.ts'
import type { InlineEdits } from '../inlineEdit/inlineEdits.ts'
import { placeBlock, type SymbolsOf } from '../inlineEdit/placeBlock.ts'
import { ModelError } from '../model/modelClient.ts'
import { nextEditFormat, predictEdit } from '../model/fim/nextEditFormats.ts'
import type { Handlers } from '../core/coreContract.ts'

type CompletionHandlers = Pick<
  Handlers,
  | 'completion.suggest'
  | 'completion.nextEdit'
  | 'completion.cancel'
  | 'completion.seen'
  | 'completion.outcome'
  | 'completion.figures'
  | 'completion.resetFigures'
  | 'completion.test'
  | 'completion.testNextEdit'
>

export type CompletionHandlerDeps = Pick<InlineCompletion, 'completions' | 'nextEdits' | 'client' | 'figures'>

/** A function without a body, for which every code model has a suggestion. */
const testFile = {
  path: 'sum.py',
  before: 'def sum_of_squares(numbers):\n    """Returns the sum of the squares."""\n    ',
  after: '\n\n\nprint(sum_of_squares([1, 2, 3]))\n',
}

/** A renamed parameter, whose use the model should rename as well. */
const testEdit = {
  path: 'area.ts',
  above: [],
  lines: ['function area(width: number, height: number) {', '  return w * height', '}'],
  below: [],
  firstLine: 1,
  cursor: { line: 0, character: 19 },
  edits: [
    {
      path: 'area.ts',
      line: 1,
      before: ['function area(w: number, height: number) {'],
      after: ['function area(width: number, height: number) {'],
    },
  ],
}
const maxSample = 200

/** Handles inline completion requests. A failed request to a model keeps its hint. */
export function createCompletionHandlers({
  completions,
  nextEdits,
  client,
  figures,
}: CompletionHandlerDeps): CompletionHandlers {
  return {
    'completion.suggest': (params, closed) => completions.suggest(params, closed),
    'completion.nextEdit': (params, closed) => nextEdits.suggest(params, closed),
    'completion.cancel'({ id }) {
      completions.cancel(id)
      nextEdits.cancel(id)
    },
    'completion.seen': (code) => completions.seen(code),
    'completion.outcome': (outcome) => figures.count(outcome),
    'completion.figures': () => figures.get(),
    'completion.resetFigures': async () => {
      await figures.reset()
      return figures.get()
    },
    'completion.test': (choice, closed) =>
      withHint(async () => {
        const form = await client.detect(choice, closed)
        const started = performance.now()
        const text = await client.complete(
          choice,
          { file: testFile, chunks: [], indent: 4, maxTokens: 32, predictMs: 2000 },
          closed,
        )
        return { form, ms: millisecondsSince(started), sample: text.trim().slice(0, maxSample) }
      }),
    'completion.testNextEdit': (choice, closed) =>
      withHint(async () => {
        const started = performance.now()
        const lines = await predictEdit(client, choice, testEdit, closed)
        const changed = (lines ?? []).filter((line, at) => line !== testEdit.lines[at])
        const format = nextEditFormat(choice.model)?.name
        const form = format === undefined ? 'prompt format of the model' : `prompt format of ${format}`
        return { form, ms: millisecondsSince(started), sample: changed.join('\n').trim().slice(0, maxSample) }
      }),
  }
}

const millisecondsSince = (started: number): number => Math.round(performance.now() - started)

async function withHint<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof ModelError) throw new ToolError('server_error', error.message, error.hint, { cause: error })
    throw error
  }
}

type InlineEditHandlers = Pick<Handlers, 'inlineEdit.run' | 'inlineEdit.cancel' | 'inlineEdit.place'>

/**
 * Handles inline edit requests. A failed request to a model keeps its hint.
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
