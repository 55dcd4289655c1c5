import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { searchPreview, searchText } from '../common/webResponseText.ts'

const maxResults = 10

export const webSearch = defineTool({
  name: 'WebSearch',
  title: 'Search the web',
  description: `Searches the web with the provider the user chose (DuckDuckGo by default) and returns titles, URLs and snippets.`,
  risk: 'network',
  web: true,
  schema: () =>
    z.object({
      query: z.string().trim().min(1).max(500).describe('What to search for.'),
      num_results: z.number().int().min(1).default(5).describe(`Maximum results (at most ${maxResults}).`),
    }),
  examples: [{ query: 'Rust async runtime comparison 2024', num_results: 5 }],
  preview: (_, context) => searchPreview(context),
  run: ({ query, num_results: requested }, context) =>
    searchText(query, { parameter: 'num_results', requested, maximum: maxResults }, context),
})
