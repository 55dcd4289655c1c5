import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { symbolKinds } from '../../code/codeIndex.ts'
import { nearestNames } from '../arguments/nearestName.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { capValue } from '../common/searchReport.ts'
import { declaredName, indexNote, symbolFields, symbolLine } from '../common/symbolReport.ts'

const maxSymbols = 100

export const symbolSearch = defineTool({
  name: 'symbol_search',
  title: 'Search symbols',
  description:
    'Finds functions, classes, types and other definitions by name or qualified name ("Class.method"). Best first: exact, prefix, word initials ("gWS" finds getWorkspaceStructure), substring, letters in order.',
  risk: 'read',
  schema: () =>
    z.object({
      query: z.string().describe('Name or a part of it.'),
      path: z.string().optional().describe('Only symbols in this file or folder.'),
      kind: z
        .string()
        .optional()
        .describe(`Only this kind: ${symbolKinds.join(', ')}.`),
      limit: z.number().int().min(1).default(20).describe(`Symbols to return (at most ${maxSymbols}).`),
    }),
  parameterAliases: { file: 'path', file_path: 'path', symbol_type: 'kind' },
  examples: [{ query: 'createUser' }, { query: 'UserStore.add', kind: 'method', limit: 5 }],
  reads: ({ path }) => (path === undefined ? [] : [path]),
  async run(args, { code, signal }) {
    if (args.query.trim() === '')
      throw new ToolError(
        'invalid_arguments',
        'The query is empty.',
        'Pass the name of a symbol, or use symbol_outline for all symbols of a file.',
      )
    const limit = capValue('limit', args.limit, maxSymbols)
    const search = { path: args.path, kind: kindOf(args.kind), limit: limit.value }
    // A declaration such as "fn x" has the name in it.
    const found = await code.search({ ...search, query: declaredName(args.query) }, signal)
    const answer = {
      query: args.query,
      symbols: found.map(symbolFields),
      ...indexNote(await code.status()),
      ...(limit.note === '' ? {} : { note: limit.note }),
      ...(found.length > 0
        ? {}
        : {
            next: 'No symbol has a matching name. Try a shorter part of it, omit the filters, or search the text with grep_search.',
          }),
    }
    return {
      text: JSON.stringify(answer, null, 1),
      format: 'json',
      view: { kind: 'symbols', symbols: found.map((row) => symbolLine(row)), note: answer.index },
    }
  },
})

function kindOf(given: string | undefined): (typeof symbolKinds)[number] | undefined {
  if (given === undefined || given === '') return undefined
  const wanted = given.toLowerCase().replaceAll('-', '_')
  const known = symbolKinds.find((kind) => kind === wanted)
  if (known) return known
  const [near] = nearestNames(wanted, symbolKinds)
  throw new ToolError(
    'invalid_arguments',
    `Unknown kind of symbol "${given}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    `Kinds: ${symbolKinds.join(', ')}.`,
  )
}
