import type { McpDefinition } from './mcp.ts'

/** Returns the distinct names in the `${input:NAME}` placeholders of a definition. */
export function inputNames(definition: McpDefinition): string[] {
  const texts =
    definition.type === 'stdio'
      ? [...definition.args, ...Object.values(definition.env)]
      : Object.values(definition.headers)
  return [
    ...new Set(texts.flatMap((each) => [...each.matchAll(/\$\{input:([^{}]+)\}/g)].flatMap(([, name]) => name ?? []))),
  ]
}
