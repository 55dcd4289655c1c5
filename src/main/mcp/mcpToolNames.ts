import { createHash } from 'node:crypto'

/** Maximum length of a tool name on OpenAI-compatible servers. */
const maxLength = 64
/** Maximum length of the server's name in a tool name. Leaves room for the name used by the server. */
const maxServer = 24

/**
 * Creates unique names `server__tool` with characters that every API allows (`^[a-zA-Z0-9_-]{1,64}$`). A name that is
 * too long or not unique ends with a hash of both full names, so it does not depend on other tools.
 * @returns the names in the order of the tools
 */
export function toolNames(tools: readonly { server: string; tool: string }[]): string[] {
  const plain = tools.map(({ server, tool }) => `${safe(server).slice(0, maxServer)}__${safe(tool)}`)
  const count = Map.groupBy(plain, (name) => name)
  return plain.map((name, index) => {
    const { server = '', tool = '' } = tools[index] ?? {}
    const whole = name.length <= maxLength && server.length <= maxServer && count.get(name)?.length === 1
    if (whole) return name
    const digits = createHash('sha256')
      .update(JSON.stringify([server, tool]))
      .digest('hex')
      .slice(0, 8)
    return `${name.slice(0, maxLength - digits.length - 1)}_${digits}`
  })
}

function safe(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]+/g, '_')
}
