import { memoizeObjects } from '../../base/memoize.ts'

const jsonOf = memoizeObjects((part: object) => JSON.stringify(part))

/**
 * Returns the JSON of a request body. Converts each message and the list of tools only once: successive requests
 * contain the same objects (`memoizeObjects` in the clients).
 */
export function bodyJson(body: object): string {
  const fields = Object.entries(body).flatMap(([name, value]) => {
    const json = fieldJson(name, value)
    return json === undefined ? [] : [`${JSON.stringify(name)}:${json}`]
  })
  return `{${fields.join(',')}}`
}

/** @returns undefined for a value that JSON leaves out */
function fieldJson(name: string, value: unknown): string | undefined {
  if (name === 'messages' && Array.isArray(value))
    return `[${value.map((message: object) => jsonOf(message)).join(',')}]`
  if (name === 'tools' && Array.isArray(value)) return jsonOf(value)
  return JSON.stringify(value)
}
