/** What a process that reads files written by others has no use for. */
const withheld: ReadonlySet<string> = new Set(['NODE_OPTIONS', 'TIZONA_API_KEY'])

/** The environment of a process of the application's own. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || withheld.has(name) ? [] : [[name, value]],
    ),
  )
}
