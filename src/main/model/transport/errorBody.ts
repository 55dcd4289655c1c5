/** Extracts the message from an error body in any of the common formats. */
export function errorText(body: string): string {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    // Plain text is a common format too.
    return body.trim()
  }
  for (let depth = 0; depth < 4 && isRecord(value); depth++)
    value = value['error'] ?? value['message'] ?? value['detail']
  if (typeof value === 'string') return value
  return value === undefined ? body.trim() : JSON.stringify(value)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
