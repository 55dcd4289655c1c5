import type { Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Risk } from '../../../shared/tools/risk.ts'
import type { ToolEffect, ToolInfo } from '../../../shared/tools/tool.ts'

/**
 * Tool annotations by risk (ToolAnnotations in the Model Context Protocol 2025-11-25). The protocol calls every tool
 * destructive that changes existing data.
 */
const hints: Readonly<Record<Risk, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  // A command can delete files and access the network.
  execute: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  // Not read-only, because a URL can carry data to a server.
  network: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  // Includes DELETE requests.
  destructive: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
}

/** Annotations of tools that need no approval although they move the editor's cursor or end a process. */
const effectHints: Readonly<Record<ToolEffect, ToolAnnotations>> = {
  editor: { readOnlyHint: false },
  process: { readOnlyHint: false, destructiveHint: true },
}

/** Converts a tool to its entry in the protocol's list. Aliases can be called but are not listed. */
export function toListedTool({ name, title, description, risk, effect, schema }: ToolInfo): Tool {
  const annotations = { title, ...hints[risk], ...(effect && effectHints[effect]) }
  return { name, title, description, inputSchema: { ...schema, type: 'object' }, annotations }
}
