import { z } from 'zod'
import { callToolName, innerCall } from '../../../shared/tools/callArguments.ts'
import { ToolError } from '../../../shared/errors.ts'
import { defineTool } from '../common/toolDefinition.ts'

/**
 * Calls a tool that the prompt does not list, because some servers let a model call only listed tools. The executor
 * resolves it to the inner call, which the gate, the review and the cards then see.
 */
export const callTool = defineTool({
  name: callToolName,
  title: 'Call tool',
  description: 'Calls a tool that find_tools found.',
  // A call of an unknown tool may be anything. Otherwise, the called tool determines the risk.
  risk: 'destructive',
  schema: () =>
    z.looseObject({
      tool: z.string().optional().describe('Name of the tool.'),
      arguments: z.unknown().optional().describe('Its arguments.'),
    }),
  parameters: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'Name of the tool.' },
      arguments: { type: 'object', description: 'Its arguments.' },
    },
    required: ['tool', 'arguments'],
  },
  examples: [{ tool: 'todo_write', arguments: { todos: [{ content: 'Run the tests', status: 'pending' }] } }],
  standsFor(values) {
    const inner = innerCall(values)
    if (inner && inner.name !== callToolName) return inner
    throw new ToolError(
      'invalid_arguments',
      `${callToolName} needs the name of another tool. Call not run.`,
      'Pass it as "tool", and its arguments as "arguments". find_tools finds tools.',
    )
  },
  run: () => Promise.reject(new Error('The executor runs the inner call.')),
})
