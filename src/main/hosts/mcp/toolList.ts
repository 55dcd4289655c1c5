import type { Tool, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { Risk } from '../../../shared/risk.ts'
import type { ToolEffect, ToolInfo } from '../../../shared/tool.ts'

/**
 * What a tool of each risk may do, in the protocol's words (Model Context Protocol 2025-11-25, ToolAnnotations). There a
 * tool that changes what exists is destructive: only one that adds and nothing else is not.
 */
const hints: Readonly<Record<Risk, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  write: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  // A command can do all of it.
  execute: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  // Not read-only: an address carries data out, so a client should not wave it through.
  network: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  // The highest risk includes the others: a DELETE request has it, too.
  destructive: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
}

/** What needs no approval is not all reading: these two move the user's editor, and end a process. */
const effectHints: Readonly<Record<ToolEffect, ToolAnnotations>> = {
  editor: { readOnlyHint: false },
  process: { readOnlyHint: false, destructiveHint: true },
}

/** A tool as the protocol lists it. Aliases are not listed; they run all the same. */
export function listedTool({ name, title, description, risk, effect, schema }: ToolInfo): Tool {
  const annotations = { title, ...hints[risk], ...(effect && effectHints[effect]) }
  return { name, title, description, inputSchema: { ...schema, type: 'object' }, annotations }
}
