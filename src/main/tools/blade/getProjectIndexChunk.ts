import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { projectPage } from './projectPage.ts'
import { capValue } from '../common/searchReport.ts'

const maxChars = 8000

export const getProjectIndexChunk = defineTool({
  name: 'get_project_index_chunk',
  title: 'Project index page',
  description: 'Reads further pages of the index that get_project_index_overview starts.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().optional().describe('Folder to describe. Default: the workspace.'),
      offset: z.number().int().min(0).optional().describe('First character; `next_offset` of the previous page.'),
      max_chars: z.number().int().min(1).default(4000).describe(`Characters to return (at most ${maxChars}).`),
    }),
  examples: [{}, { path: 'src', max_chars: 2000, offset: 0 }],
  run: (args, context) =>
    projectPage(args.path ?? '.', args.offset ?? 0, capValue('max_chars', args.max_chars, maxChars), context),
})
