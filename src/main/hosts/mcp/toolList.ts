import type { Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Risk } from '../../../shared/risk.ts'
import type { ToolEffect, ToolInfo } from '../../../shared/tool.ts'

/**
 * Annotations of tools by risk (Model Context Protocol 2025-11-25, ToolAnnotations). In the protocol every tool that changes
 * existing data is destructive; only one that solely adds data is not.
 */
const hints: Readonly<Record<Risk, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  // Commands can do anything.
  execute: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  // Not read-only, because an address can send data out.
  network: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  // Includes DELETE requests.
  destructive: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
}

/** Tools that need no approval but do more than read: they move the editor's cursor or end a process. */
const effectHints: Readonly<Record<ToolEffect, ToolAnnotations>> = {
  editor: { readOnlyHint: false },
  process: { readOnlyHint: false, destructiveHint: true },
}

/** Converts a tool to its entry in the protocol's list. Aliases are not listed, but work. */
export function listedTool({ name, title, description, risk, effect, schema }: ToolInfo): Tool {
  const annotations = { title, ...hints[risk], ...(effect && effectHints[effect]) }
  return { name, title, description, inputSchema: { ...schema, type: 'object' }, annotations }
}
