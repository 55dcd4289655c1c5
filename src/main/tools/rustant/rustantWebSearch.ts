import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { searchPreview, searchText } from '../common/webResponseText.ts'

const maxResults = 20

export const webSearch = defineTool({
  name: 'web_search',
  title: 'Search the web',
  description: `Searches the web with the provider the user chose (DuckDuckGo by default) and returns titles, URLs and snippets.`,
  risk: 'network',
  web: true,
  schema: () =>
    z.object({
      query: z.string().trim().min(1).max(500).describe('What to search for.'),
      max_results: z.number().int().min(1).optional().describe(`Maximum results (at most ${maxResults}). Default: 5.`),
    }),
  examples: [{ query: 'rust error handling', max_results: 3 }],
  preview: (_, context) => searchPreview(context),
  run: ({ query, max_results: requested = 5 }, context) =>
    searchText(query, { parameter: 'max_results', requested, maximum: maxResults }, context),
})
