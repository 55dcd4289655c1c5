import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { definitionProblems, mcpDefinitionSchema, type McpDefinition } from '../../shared/mcp.ts'
import { plural } from '../../shared/plural.ts'

/** The workspace's files that may name servers; what the first one names counts. The second is what other programs share. */
export const definitionFiles = ['.tizona/mcp.json', '.mcp.json'] as const

export interface NamedDefinition {
  name: string
  file: string
  definition: McpDefinition
}

/** Servers of one file that are taken; more is no list that a person wrote. */
const maxServers = 50

const fileSchema = z.object({ mcpServers: z.record(z.string(), z.unknown()) })

/** The servers that one file names. A server that is not well formed is left out, with a word in `problems`; the others stay. */
export function parseDefinitions(file: string, text: string): { servers: NamedDefinition[]; problems: string[] } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return {
      servers: [],
      problems: [`${file} is not valid JSON (${error instanceof Error ? error.message : String(error)}).`],
    }
  }
  const whole = fileSchema.safeParse(value)
  if (!whole.success) return { servers: [], problems: [`${file} has no object "mcpServers".`] }
  const servers: NamedDefinition[] = []
  const problems: string[] = []
  const named = Object.entries(whole.data.mcpServers)
  for (const [name, given] of named.slice(0, maxServers)) {
    const parsed = mcpDefinitionSchema.safeParse(given)
    if (name.trim() === '' || name.length > 64) problems.push(`${file}: a server's name has 1 to 64 characters.`)
    else if (parsed.success) servers.push({ name, file, definition: parsed.data })
    else problems.push(`${file}: the server "${name}" is left out. ${definitionProblems(parsed.error)}`)
  }
  if (named.length > maxServers)
    problems.push(`${file} names ${plural(named.length, 'server')}; only the first ${maxServers} are taken.`)
  return { servers, problems }
}

/** Reads what the workspace names, the first file of a name winning. @param readText null where there is no such file */
export async function readDefinitions(
  readText: (path: string) => Promise<string | null>,
): Promise<{ servers: NamedDefinition[]; problems: string[] }> {
  const servers = new Map<string, NamedDefinition>()
  const problems: string[] = []
  for (const file of definitionFiles) {
    let text: string | null
    try {
      text = await readText(file)
    } catch (error) {
      // A link out of the folder, for one: nothing outside it is read.
      if (!(error instanceof ToolError)) throw error
      problems.push(`${file}: ${error.message}`)
      continue
    }
    if (text === null) continue
    const parsed = parseDefinitions(file, text)
    problems.push(...parsed.problems)
    for (const server of parsed.servers) if (!servers.has(server.name)) servers.set(server.name, server)
  }
  return { servers: [...servers.values()], problems }
}
