/** A response of a model server as sent over the wire, and the expected result. */
export interface Recording {
  /** The server family, a heading of docs/models.md. */
  server: string
  /** Distinctive feature of this response. Unique for the server. */
  shape: string
  protocol: 'openai' | 'ollama'
  /** Default: the stream type of the protocol. */
  contentType?: string
  /** Everything after the headers. */
  body: string
  expected: Expected
  /** Reference for the format. */
  source: string
}

export interface Expected {
  text?: string
  reasoning?: string
  /** `arguments`: an object, or the exact text for the executor. */
  calls?: { name: string; arguments: Record<string, unknown> | string; id?: string }[]
  finish?: 'stop' | 'tool_calls' | 'length' | 'unknown'
  /** The code of the error that follows the result. */
  error?: string
}

/** Formats server-sent events from objects and raw text. */
export function sse(...data: (object | string)[]): string {
  return data.map((item) => `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n`).join('')
}

/** Formats lines of JSON, as in Ollama's own API. */
export function ndjson(...lines: object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('')
}

export const done = '[DONE]'

/** Splits a text into chunks of about the size of tokens. */
export function tokens(text: string): string[] {
  return text.match(/[\s\S]{1,5}/gu) ?? []
}
