import { z } from 'zod'
import type { SymbolLine } from '../../../shared/tools/tool.ts'
import type { SymbolRow } from '../../code/codeIndex.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { symbolLine } from '../common/symbolReport.ts'

interface OutlineNode {
  symbol_id: string
  kind: string
  name: string
  /** `12-30`, 1-based and inclusive. */
  lines: string
  signature: string
  children?: OutlineNode[]
}

export const symbolOutline = defineTool({
  name: 'symbol_outline',
  title: 'Outline file',
  description:
    'Lists the symbols of one file as a tree, with ids, line ranges and signatures; members are in `children`.',
  risk: 'read',
  schema: () => z.object({ path: z.string().describe('File to outline.') }),
  parameterAliases: { file: 'path', file_path: 'path' },
  examples: [{ path: 'src/users.ts' }],
  reads: ({ path }) => [path],
  async run(args, { code, signal }) {
    const { path, language, problem, unsaved, symbols } = await code.outline(args.path, signal)
    const answer = {
      path,
      language: language ?? 'unknown',
      ...(unsaved ? { unsaved: 'Text of the open tab with unsaved changes.' } : {}),
      imports: symbols
        .filter(({ kind }) => kind === 'import')
        .map(({ line, name, signature }) => `${line}: ${name} (${signature})`),
      symbols: treeOf(symbols.filter(({ kind }) => kind !== 'import')),
      ...(problem === '' ? {} : { problem }),
      ...(symbols.length > 0
        ? {}
        : { next: 'No symbols found in this file. Read it with read_file, or search it with grep_search.' }),
    }
    return {
      text: JSON.stringify(answer, null, 1),
      format: 'json',
      view: {
        kind: 'symbols',
        symbols: linesOf(
          path,
          symbols.filter(({ kind }) => kind !== 'import'),
        ),
        ...(problem === '' ? {} : { note: problem }),
      },
    }
  },
})

/** Returns the symbols as a flat list, parents before members. */
function linesOf(path: string, symbols: readonly SymbolRow[]): SymbolLine[] {
  const depths = new Map<number, number>()
  return symbols.map((row) => {
    const depth = row.parent === null ? 0 : (depths.get(row.parent) ?? -1) + 1
    depths.set(row.id, depth)
    return symbolLine(row, { path, depth })
  })
}

function treeOf(symbols: readonly SymbolRow[]): OutlineNode[] {
  const roots: OutlineNode[] = []
  const nodes = new Map<number, OutlineNode>()
  for (const { id, parent, symbol_id, kind, name, line, end_line, signature } of symbols) {
    const node: OutlineNode = { symbol_id, kind, name, lines: `${line}-${end_line}`, signature }
    nodes.set(id, node)
    const around = parent === null ? undefined : nodes.get(parent)
    if (around) (around.children ??= []).push(node)
    else roots.push(node)
  }
  return roots
}
