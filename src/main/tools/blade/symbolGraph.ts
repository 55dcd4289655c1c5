import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import type { SymbolLine } from '../../../shared/tools/tool.ts'
import { plural } from '../../../shared/text/plural.ts'
import { edgeKinds, type Edge, type EdgeKind } from '../../code/codeIndex.ts'
import { nearestNames } from '../arguments/nearestName.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { capValue } from '../common/searchReport.ts'
import { indexNote, findOneSymbol, symbolFields, symbolLine } from '../common/symbolReport.ts'
import { symbolParameters } from './symbolParameters.ts'

const maxEdges = 100

export const symbolGraph = defineTool({
  name: 'symbol_graph',
  title: 'Symbol graph',
  description:
    'Shows what uses or calls a symbol (incoming) and what it uses (outgoing), with file and line. `match` is "resolved" if imports and scopes were followed, "name" if only the name agrees.',
  risk: 'read',
  schema: () =>
    z.object({
      ...symbolParameters,
      relationship_type: z
        .string()
        .default('call')
        .describe(`Kind of edge: ${edgeKinds.join(', ')}.`),
      limit: z.number().int().min(1).default(20).describe(`Edges to return (at most ${maxEdges}).`),
    }),
  parameterAliases: {
    id: 'symbol_id',
    file: 'path',
    file_path: 'path',
    edge_kind: 'relationship_type',
    kind: 'relationship_type',
  },
  examples: [
    { path: 'src/users.ts', name: 'createUser' },
    { path: 'src/users.ts', qualified_name: 'UserStore', relationship_type: 'contains' },
  ],
  reads: ({ path }) => (path === undefined ? [] : [path]),
  async run(args, { code, signal }) {
    const kind = edgeKindOf(args.relationship_type)
    const limit = capValue('limit', args.limit, maxEdges)
    const symbol = await findOneSymbol(
      code,
      { id: args.symbol_id, path: args.path, qualifiedName: args.qualified_name, name: args.name },
      signal,
    )
    const { edges, total } = await code.graph(symbol.symbol_id, kind, limit.value, signal)
    const of = (direction: Edge['direction']) => edges.filter((edge) => edge.direction === direction).map(edgeFields)
    const answer = {
      symbol: symbolFields(symbol),
      relationship_type: kind,
      incoming: of('incoming'),
      outgoing: of('outgoing'),
      total,
      ...(edges.length < total
        ? { note: `${edges.length} of ${plural(total, 'edge')} shown; raise \`limit\` (at most ${maxEdges}).` }
        : {}),
      ...(limit.note === '' ? {} : { limit: limit.note }),
      ...indexNote(await code.status()),
    }
    return {
      text: JSON.stringify(answer, null, 1),
      format: 'json',
      view: { kind: 'symbols', symbols: edges.map((edge) => edgeLine(edge, kind)), note: answer.note },
    }
  },
})

function edgeFields({ path, line, text, symbol, resolved }: Edge): Record<string, unknown> {
  return {
    at: `${path}:${line}`,
    text,
    match: resolved ? 'resolved' : 'name',
    ...(symbol ? { symbol_id: symbol.symbol_id, signature: symbol.signature } : {}),
  }
}

/** Returns an edge for the panel: the location of the reference and the symbol at its other end. */
function edgeLine({ direction, path, line, text, symbol, resolved }: Edge, kind: EdgeKind): SymbolLine {
  const group = `${direction === 'incoming' ? 'Incoming' : 'Outgoing'}: ${kind}`
  const place = { path, line, group, ...(resolved ? {} : { unsure: true }) }
  return symbol ? symbolLine(symbol, place) : { kind: '', name: text, signature: '', depth: 0, ...place }
}

function edgeKindOf(given: string): EdgeKind {
  const wanted = given.toLowerCase().replace(/s$/, '')
  const known = edgeKinds.find((kind) => kind.replace(/s$/, '') === wanted)
  if (known) return known
  const [near] = nearestNames(wanted, edgeKinds)
  throw new ToolError(
    'invalid_arguments',
    `Unknown kind of edge "${given}"${near === undefined ? '' : `; did you mean "${near}"?`}`,
    `Kinds: ${edgeKinds.join(', ')}.`,
  )
}
