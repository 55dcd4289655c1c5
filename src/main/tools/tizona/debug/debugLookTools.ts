import { z } from 'zod'
import { ToolError } from '../../../../shared/errors.ts'
import type { DebugSession } from '../../../debug/debugSession.ts'
import { defineTool } from '../../common/toolDefinition.ts'
import { agentSession, checkOwner } from './agentSession.ts'
import { evaluationLine } from './debugTarget.ts'
import { describeStack, describeVariable, limitLines } from './describeDebug.ts'

// Tools that show a program that has stopped.

/** Maximum children that are read for each variable, and levels. */
const maxChildren = 20
const maxDepth = 3

/** Selects a frame by its index in the stack. @throws ToolError out_of_range */
async function frameAt(session: DebugSession, index: number): Promise<number> {
  const { frames, total } = await session.stack(session.info().stop?.threadId ?? 0, index, 1)
  const [frame] = frames
  if (frame === undefined)
    throw new ToolError('out_of_range', `The stack has ${total} frames, counted from 0.`, 'Look with debug_stack.')
  return frame.id
}

export const debugStack = defineTool({
  name: 'debug_stack',
  title: 'Show the stack',
  description: 'Lists the frames of the stopped program, innermost first.',
  risk: 'read',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: () => z.object({}),
  examples: [{}],
  async run(_args, context) {
    const session = agentSession(context)
    const { frames, total } = await session.stack(session.info().stop?.threadId ?? 0, 0, 20)
    return {
      text: describeStack(frames, total)
        .map((line, index) => `${index}. ${line}`)
        .join('\n'),
    }
  },
})

export const debugVariables = defineTool({
  name: 'debug_variables',
  title: 'Show variables',
  description: 'Shows the variables of a frame, or the members of one of them.',
  risk: 'read',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: () =>
    z.object({
      frame: z.number().int().min(0).default(0).describe('Index in debug_stack.'),
      path: z
        .array(z.string())
        .max(20)
        .default([])
        .describe('Names from a variable down to the member, e.g. ["user", "name"].'),
      depth: z.number().int().min(1).max(maxDepth).default(1).describe('Levels of members to show.'),
    }),
  examples: [{ path: ['user'], depth: 2 }],
  async run({ frame, path, depth }, context) {
    const session = agentSession(context)
    const scopes = await session.scopes(await frameAt(session, frame))
    let references = scopes.filter(({ expensive }) => !expensive).map(({ reference }) => reference)
    for (const name of path) {
      const children = (await Promise.all(references.map((reference) => childrenOf(session, reference, 500)))).flat()
      // Debuggers quote the keys of maps.
      const found = children.find((child) => child.name === name || child.name.replaceAll(/^['"]|['"]$/g, '') === name)
      if (found === undefined)
        throw new ToolError(
          'not_found',
          `There is no "${name}".`,
          `Available: ${children
            .slice(0, 30)
            .map((child) => child.name)
            .join(', ')}.`,
        )
      if (found.reference === 0) return { text: describeVariable(found) }
      references = [found.reference]
    }
    const lines: string[] = []
    for (const reference of references) await describeTree(session, reference, depth, '', lines)
    return { text: lines.length === 0 ? 'There are no variables.' : limitLines(lines) }
  },
})

const childrenOf = (session: DebugSession, reference: number, count: number) =>
  session.variables({ reference, start: 0, count })

async function describeTree(
  session: DebugSession,
  reference: number,
  depth: number,
  indent: string,
  lines: string[],
): Promise<void> {
  const children = (await childrenOf(session, reference, maxChildren + 1)).filter(
    ({ name }) => !name.endsWith(' variables'),
  )
  for (const child of children.slice(0, maxChildren)) {
    if (lines.length >= 150) return
    lines.push(indent + describeVariable(child))
    if (depth > 1 && child.reference !== 0)
      await describeTree(session, child.reference, depth - 1, `${indent}  `, lines)
  }
  if (children.length > maxChildren) lines.push(`${indent}and more`)
}

export const debugEvaluate = defineTool({
  name: 'debug_evaluate',
  title: 'Evaluate an expression',
  description: 'Evaluates an expression in a frame of the stopped program. It can change the program.',
  risk: 'execute',
  follows: 'debug_start',
  smallestProfile: 'full',
  forClients: true,
  schema: () =>
    z.object({
      expression: z.string().min(1).max(10_000).describe('Expression in the language of the program.'),
      frame: z.number().int().min(0).default(0).describe('Index in debug_stack.'),
    }),
  examples: [{ expression: 'len(items)' }],
  commandLine: async ({ expression }) => evaluationLine(expression),
  async run({ expression, frame }, context) {
    const session = agentSession(context)
    await checkOwner(session)
    const frameId = await frameAt(session, frame)
    const { value, type } = await session.evaluate({ expression, frameId, context: 'watch' }, context.signal)
    return { text: describeVariable({ name: expression, value, ...(type !== undefined && { type }) }) }
  },
})
