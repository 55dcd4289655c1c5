import { createHash } from 'node:crypto'

/** The longest name that OpenAI-compatible servers take. */
const maxLength = 64
/** Of a server's part, so that there is room for the tool's. */
const maxServer = 24

/**
 * `server__tool` in the characters that every server takes (`^[a-zA-Z0-9_-]{1,64}$`), each once. A name that had to be cut, or
 * that two tools would share, ends with digits of the hash of both full names: it does not depend on what other tools there are.
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
