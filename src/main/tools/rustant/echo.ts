import { z } from 'zod'
import { defineTool } from '../common/toolDefinition.ts'

export const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Returns its text and does nothing else. Use it to think between steps.',
  risk: 'read',
  schema: () => z.object({ text: z.string().describe('The text.') }),
  examples: [{ text: 'First the tests, then the fix.' }],
  run: ({ text }) => Promise.resolve({ text }),
})
