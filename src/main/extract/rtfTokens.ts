import { Readable } from 'node:stream'
import { Tokenize } from 'rtf-stream-parser'

/** One word of the language of RTF. */
export type RtfToken =
  | { kind: 'open' | 'close' }
  /** A control word or symbol: `par`, `'` with the byte it names, `*`. */
  | { kind: 'control'; word: string; value: number | undefined; data: Buffer | undefined }
  | { kind: 'text'; data: Buffer }

/** What rtf-stream-parser gives; its enumeration of types exists only for compilers that merge modules. */
interface Given {
  type: number
  word?: string
  param?: number
  data?: Buffer
}
const given = { open: 0, close: 1, control: 2 }

/** The words of an RTF document. */
export async function* rtfTokens(content: Uint8Array<ArrayBuffer>): AsyncGenerator<RtfToken> {
  // Its stream is one of tokens, which the types of streams do not say.
  const tokens: AsyncIterable<Given> = Readable.from([Buffer.from(content.buffer)], { objectMode: false }).pipe(
    new Tokenize(),
  )
  for await (const { type, word = '', param, data } of tokens) {
    if (type === given.open) yield { kind: 'open' }
    else if (type === given.close) yield { kind: 'close' }
    else if (type === given.control) yield { kind: 'control', word, value: param, data }
    else if (data) yield { kind: 'text', data }
  }
}
