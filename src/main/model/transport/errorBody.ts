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

/** Maximum length of the text that decides what an error means. Servers put it first. */
const maxLength = 4000

/** Matches the start of a quotation of the request or an answer. The rest of the text belongs to the quotation. */
const quotations: readonly RegExp[] = [
  // Pydantic: vLLM, SGLang and other servers in Python.
  /['"]input['"]: ?|\binput_value=/,
  // llama-server (common/chat.cpp).
  /; (messages|tools) = [[{]/,
  // A call or an answer that the model wrote: Ollama, llama-server.
  /\braw='|last read: '|\bat pos \d+: /,
  // Code of a template.
  /\{[{%]/,
]

/**
 * Returns the server's own words in an error message. Leaves out quotations of the request, the answer or a template,
 * which may contain any word.
 */
export function ownWords(text: string): string {
  const own = text
    .slice(0, maxLength)
    // Excerpts of templates (llama.cpp): a line between the location and the reason, or everything after the location.
    .replace(/^\.\.\..*$/gm, '')
    .replace(/(at row \d+, column \d+:)[^]*/, '$1')
  const ends = quotations.map((start) => own.search(start)).filter((at) => at !== -1)
  return own.slice(0, Math.min(own.length, ...ends))
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
