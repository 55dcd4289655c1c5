/** One answer of a model server as it travels over the wire, and what a client must make of it. */
export interface Recording {
  /** Server family, as the table in docs/models.md groups them. */
  server: string
  /** What is special about this answer; unique within its server. */
  shape: string
  protocol: 'openai' | 'ollama'
  /** Default: what the protocol streams. */
  contentType?: string
  /** Everything after the headers. */
  body: string
  expected: Expected
  /** Where the shape is described. */
  source: string
}

export interface Expected {
  text?: string
  reasoning?: string
  /** `arguments`: an object, or text as it must reach the executor. */
  calls?: { name: string; arguments: Record<string, unknown> | string; id?: string }[]
  finish?: 'stop' | 'tool_calls' | 'length' | 'unknown'
  /** The code of the failure that the user is told of, after what came before it. */
  error?: string
}

/** Server-sent events of objects, and of text as it stands. */
export function sse(...data: (object | string)[]): string {
  return data.map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`).join('')
}

/** Lines of JSON, as Ollama's own API streams them. */
export function ndjson(...lines: object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

export const done = '[DONE]'

/** The pieces in which a text is streamed: about as long as tokens. */
export function tokens(text: string): string[] {
  return text.match(/[\s\S]{1,5}/gu) ?? []
}
