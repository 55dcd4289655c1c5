import type { McpServerStatus } from '../../shared/tools/mcp.ts'

/** A connected MCP server of the user that is named `docs` and has no tools. */
export const connectedServer = {
  key: 'user:docs',
  name: 'docs',
  origin: 'user',
  definition: { type: 'http', url: 'https://docs.example/mcp', headers: {} },
  state: 'connected',
  log: [],
  inputs: [],
  tools: [],
} satisfies McpServerStatus
