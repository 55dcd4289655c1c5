import { z } from 'zod'
import { hasExportRules } from '../../code/codeIndex.ts'
import { defineTool } from '../common/toolDefinition.ts'
import { findOneSymbol, symbolFields, symbolLine } from '../common/symbolReport.ts'
import { symbolParameters } from './symbolParameters.ts'

export const symbolResolve = defineTool({
  name: 'symbol_resolve',
  title: 'Look up symbol',
  description:
    'Shows one symbol: kind, location, signature, documentation comment and body lines. Pass its id, or its name, with the file if the name is not unique.',
  risk: 'read',
  schema: () => z.object(symbolParameters),
  parameterAliases: { id: 'symbol_id', file: 'path', file_path: 'path' },
  examples: [{ path: 'src/users.ts', name: 'createUser' }],
  reads: ({ path }) => (path === undefined ? [] : [path]),
  async run(args, { code, signal }) {
    const row = await findOneSymbol(
      code,
      { id: args.symbol_id, path: args.path, qualifiedName: args.qualified_name, name: args.name },
      signal,
    )
    const answer = {
      ...symbolFields(row),
      ...(row.doc === '' ? {} : { doc: row.doc }),
      ...(row.body_line === null ? {} : { body: { line: row.body_line, end_line: row.body_end_line } }),
      ...(hasExportRules(row.language) ? { exported: row.exported === 1 } : {}),
      language: row.language,
    }
    return {
      text: JSON.stringify(answer, null, 1),
      format: 'json',
      view: { kind: 'symbols', symbols: [symbolLine(row)], ...(row.doc === '' ? {} : { note: row.doc }) },
    }
  },
})
