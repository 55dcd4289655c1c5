import { ToolError } from '../../shared/errors.ts'
import type { McpPrompt, McpResource } from '../../shared/tools/mcp.ts'
import { toolNames } from './mcpToolNames.ts'
import type { ResourceContent } from './serverContent.ts'
import type { ServerEntry } from './serverEntries.ts'

/** Prompts and resources of the connected servers. */
export interface McpContent {
  /** Returns the text of a prompt. @param command of `McpPrompt` @throws ToolError */
  prompt(command: string, args: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>
  /** Reads a resource. @param server its name @throws ToolError */
  resource(server: string, uri: string, signal: AbortSignal): Promise<ResourceContent>
  /** Returns what a server offers, for the window. */
  of(entry: ServerEntry): { prompts?: McpPrompt[]; resources?: McpResource[] }
}

/** @param servers returns the active servers in order */
export function createOfferedContent(servers: () => readonly ServerEntry[]): McpContent {
  function prompts(): { owner: ServerEntry; prompt: McpPrompt }[] {
    const listed = servers().flatMap((owner) =>
      (owner.connection?.content().prompts ?? []).map((prompt) => ({ owner, prompt })),
    )
    const names = toolNames(listed.map(({ owner, prompt }) => ({ server: owner.name, tool: prompt.name })))
    return listed.map(({ owner, prompt }, index) => ({ owner, prompt: { ...prompt, command: names[index] ?? '' } }))
  }

  return {
    async prompt(command, args, signal) {
      const found = prompts().find(({ prompt }) => prompt.command === command)
      const connection = found?.owner.connection
      if (!found || !connection)
        throw new ToolError('not_found', `No connected MCP server has the prompt "${command}".`, 'Choose another one.')
      const { prompt } = found
      const missing = prompt.arguments.filter(({ name, required }) => required && (args[name] ?? '') === '')
      if (missing.length > 0) {
        const names = missing.map(({ name }) => name).join(', ')
        const example = prompt.arguments.map(({ name }) => `${name}="…"`).join(' ')
        throw new ToolError('invalid_arguments', `The prompt needs ${names}.`, `Write /${command} ${example}`)
      }
      return connection.prompt(prompt.name, args, signal)
    },
    async resource(server, uri, signal) {
      const owner = servers().find(({ name, connection }) => name === server && connection)
      if (!owner?.connection)
        throw new ToolError(
          'not_found',
          `No connected MCP server has the name "${server}".`,
          'Check its state in the settings.',
        )
      return owner.connection.resource(uri, signal)
    },
    of(entry) {
      const own = prompts().flatMap(({ owner, prompt }) => (owner === entry ? [prompt] : []))
      const resources = entry.connection?.content().resources ?? []
      return { ...(own.length > 0 && { prompts: own }), ...(resources.length > 0 && { resources: [...resources] }) }
    },
  }
}
