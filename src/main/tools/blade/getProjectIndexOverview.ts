import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'
import { projectPage } from './projectPage.ts'
import { capValue } from '../common/searchReport.ts'

const maxChars = 12000

export const getProjectIndexOverview = defineTool({
  name: 'get_project_index_overview',
  title: 'Project overview',
  description:
    'Describes the project from its index: purpose, languages, folders with counts, entry points, central symbols, then the contents by folder. A first look at unknown code.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().optional().describe('Folder to describe. Default: the workspace.'),
      max_chars: z.number().int().min(1).default(6000).describe(`Characters to return (at most ${maxChars}).`),
      offset: z.number().int().min(0).optional().describe('First character; `next_offset` of the previous page.'),
    }),
  examples: [{}, { path: 'src', max_chars: 2000, offset: 0 }],
  run: (args, context) =>
    projectPage(args.path ?? '.', args.offset ?? 0, capValue('max_chars', args.max_chars, maxChars), context),
})
