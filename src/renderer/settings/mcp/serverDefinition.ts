import type { McpDefinition } from '../../../shared/tools/mcp.ts'

/** A field of a definition, for display. */
export interface DefinitionLine {
  label: string
  value: string
}

/** Lists all fields of a definition in full, because the user must see everything that they trust. */
export function definitionLines(definition: McpDefinition): DefinitionLine[] {
  if (definition.type === 'http') {
    const headers = Object.entries(definition.headers).map(([name, value]) => ({ label: `Header ${name}`, value }))
    const { clientId, callbackPort } = definition.oauth ?? {}
    return [
      { label: 'Address', value: definition.url },
      ...headers,
      ...(clientId === undefined ? [] : [{ label: 'Client ID for signing in', value: clientId }]),
      ...(callbackPort === undefined ? [] : [{ label: 'Redirect port', value: String(callbackPort) }]),
    ]
  }
  return [
    { label: 'Program', value: definition.command },
    ...definition.args.map((value, index) => ({ label: `Argument ${index + 1}`, value })),
    ...Object.entries(definition.env).map(([name, value]) => ({ label: `Variable ${name}`, value })),
  ]
}

/** A field before and after a change. `before` is undefined for an added field, `now` for a removed one. */
export interface ComparedLine {
  label: string
  before?: string
  now?: string
}

/** Compares two definitions field by field. Lists removed fields last. */
export function comparedLines(before: McpDefinition, now: McpDefinition): ComparedLine[] {
  const old = new Map(definitionLines(before).map(({ label, value }) => [label, value]))
  const present = definitionLines(now)
  const labels = new Set(present.map(({ label }) => label))
  return [
    ...present.map(({ label, value }) => ({ label, before: old.get(label), now: value })),
    ...[...old].filter(([label]) => !labels.has(label)).map(([label, value]) => ({ label, before: value })),
  ]
}

/** Formats a definition on one line. */
export function definitionText(definition: McpDefinition): string {
  if (definition.type === 'http') return definition.url
  const args = definition.args.map((arg) => (/^[\w@%+=:,./-]+$/.test(arg) ? arg : JSON.stringify(arg)))
  return [definition.command, ...args].join(' ')
}

/** Names of the variables from Tizona's environment that a definition passes to the server. */
export function environmentNames(definition: McpDefinition): string[] {
  const texts =
    definition.type === 'stdio'
      ? [...definition.args, ...Object.values(definition.env)]
      : Object.values(definition.headers)
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\$\{(?:env:)?([^{}:]+)(?::-[^{}]*)?\}/g)].flatMap(([, name]) => name ?? []),
  )
  return [...new Set(names)].filter((name) => name !== 'workspaceFolder')
}
