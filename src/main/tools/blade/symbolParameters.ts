import { z } from 'zod'

/** Parameters that select one symbol: its id, or a file and a name. */
export const symbolParameters = {
  symbol_id: z.string().optional().describe('Symbol id from symbol_search or symbol_outline.'),
  path: z.string().optional().describe('File, if the name is not unique.'),
  qualified_name: z.string().optional().describe('Exact qualified name, e.g. "Class.method".'),
  name: z.string().optional().describe('Simple name, e.g. "method".'),
}

/** Names that models use for the file of a tool (Blade's documents, "Accepted aliases"). */
export const pathAliases = { file_path: 'path', filepath: 'path', filename: 'path' } as const

/** Names that models use for the folder of a tool. */
export const directoryAliases = { dir: 'path', directory: 'path' } as const
