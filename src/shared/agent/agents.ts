import { z } from 'zod'

// docs/settings.md contains the descriptions of these fields.

/** An external agent that the panel can run. It uses the Agent Client Protocol on standard input and output. */
export const agentSchema = z.object({
  id: z.string().min(1).max(100).describe('Unique id.'),
  name: z.string().trim().min(1).max(100).describe('Name in lists.'),
  command: z.string().trim().min(1).max(4096).describe('Program: a name on PATH, or an absolute path.'),
  args: z.array(z.string().max(10_000)).max(100).default([]).describe('Arguments, one item each.'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(10_000))
    .default({})
    .describe(
      "Additional environment variables. `${env:NAME}` inserts a variable from Tizona's environment, e.g. a key.",
    ),
  folders: z
    .array(z.string().max(4096))
    .max(20)
    .default([])
    .describe('/.qwen` for its settings.~/.qwen` for its settings.'),
  sandbox: z
    .boolean()
    .default(true)
    .describe('Whether the agent runs in the sandbox, with network, where the machine has one.'),
})
export type AgentDefinition = z.output<typeof agentSchema>

/** Maximum number of agents. */
export const maxAgents = 50
