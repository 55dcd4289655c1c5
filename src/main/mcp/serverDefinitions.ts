import { z } from 'zod'
import { ToolError } from '../../shared/errors.ts'
import { definitionProblems, mcpDefinitionSchema, type McpDefinition } from '../../shared/tools/mcp.ts'
import { plural } from '../../shared/text/plural.ts'
import { inEachFolder, type WorkspaceRoots } from '../base/workspaceRoots.ts'
import { repeatedKeys } from '../base/jsonParts.ts'
import { possibleFileNames } from './serverPrograms.ts'

/**
 * Workspace files that define servers. The first definition of a name is used. The second file is shared with other
 * programs.
 */
export const definitionFiles = ['.tizona/mcp.json', '.mcp.json'] as const

/** A server that a workspace file defines. */
export interface NamedDefinition {
  name: string
  file: string
  definition: McpDefinition
}

/** Maximum servers read from a file. */
const maxServers = 50
/**
 * Maximum number of words in the command lines and variables of a file's servers. Each word causes several file
 * lookups.
 */
const maxWords = 2000

const fileSchema = z.object({ mcpServers: z.record(z.string(), z.unknown()) })

/** Parses the servers of a file. Invalid ones are skipped and reported in `problems`. */
export function parseDefinitions(file: string, text: string): { servers: NamedDefinition[]; problems: string[] } {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    return {
      servers: [],
      problems: [`${file} is not valid JSON (${error instanceof Error ? error.message : String(error)}).`],
    }
  }
  const whole = fileSchema.safeParse(value)
  if (!whole.success) return { servers: [], problems: [`${file} has no "mcpServers" object.`] }
  const servers: NamedDefinition[] = []
  const problems = repeatedNames(file, text)
  const named = Object.entries(whole.data.mcpServers)
  let words = 0
  for (const [name, given] of named.slice(0, maxServers)) {
    const parsed = mcpDefinitionSchema.safeParse(given)
    if (name.trim() === '' || name.length > 64) problems.push(`${file}: a server name must have 1 to 64 characters.`)
    else if (parsed.success) {
      words += possibleFileNames(parsed.data).length
      if (words <= maxWords) servers.push({ name, file, definition: parsed.data })
      else problems.push(`${file}: the server "${name}" is ignored, because the command lines are too long.`)
    } else problems.push(`${file}: the server "${name}" is ignored. ${definitionProblems(parsed.error)}`)
  }
  if (named.length > maxServers)
    problems.push(`${file} defines ${plural(named.length, 'server')}; only the first ${maxServers} are used.`)
  return { servers, problems }
}

/** Returns a problem for each duplicate key, because `JSON.parse` silently keeps the last value. */
function repeatedNames(file: string, text: string): string[] {
  try {
    const texts = repeatedKeys(text.replace(/^\uFEFF/, '')).map(({ path: [section, server, ...inner] }) => {
      const setting = inner.at(-1)
      if (setting !== undefined)
        return `${file}: "${setting}" of the server "${server}" is defined twice. Only the last definition is used.`
      return server === undefined
        ? `${file}: "${section}" is defined twice. Only the last definition is used.`
        : `${file}: the server "${server}" is defined twice. Only the last definition is used.`
    })
    return [...new Set(texts)]
  } catch (error) {
    // The parser is recursive, so it fails for deeply nested text, which defines no servers.
    if (error instanceof RangeError) return []
    throw error
  }
}

/**
 * Reads the servers defined in the workspace; the first file that defines a name wins.
 * @param readText returns null if the file does not exist
 */
export async function readDefinitions(
  readText: (path: string) => Promise<string | null>,
  workspace: Pick<WorkspaceRoots, 'folders'> = {},
): Promise<{ servers: NamedDefinition[]; problems: string[] }> {
  const servers = new Map<string, NamedDefinition>()
  const problems: string[] = []
  for (const file of definitionFiles.flatMap((each) => inEachFolder(workspace, each))) {
    let text: string | null
    try {
      text = await readText(file)
    } catch (error) {
      // For example a link out of the workspace, which is not followed.
      if (!(error instanceof ToolError)) throw error
      problems.push(`${file}: ${error.message}`)
      continue
    }
    if (text === null) continue
    const parsed = parseDefinitions(file, text)
    problems.push(...parsed.problems)
    for (const server of parsed.servers) {
      const first = servers.get(server.name)
      if (!first) servers.set(server.name, server)
      else if (workspace.folders)
        problems.push(`${file}: the server "${server.name}" is ignored, because ${first.file} defines it, too.`)
    }
  }
  return { servers: [...servers.values()], problems }
}
