/** Variables that child processes do not receive, because they read untrusted files. */
const withheld: ReadonlySet<string> = new Set(['NODE_OPTIONS', 'TIZONA_API_KEY'])

/** Returns the environment for the application's own child processes. */
export function childEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || withheld.has(name) ? [] : [[name, value]],
    ),
  )
}
