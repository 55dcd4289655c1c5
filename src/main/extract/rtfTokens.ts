import { Readable } from 'node:stream'
import { Tokenize } from 'rtf-stream-parser'
import { bufferOf } from './documentJob.ts'

/** A token of RTF. */
export type RtfToken =
  | { kind: 'open' | 'close' }
  /** A control word or symbol: `par`, `'` with its byte, `*`. */
  | { kind: 'control'; word: string; value: number | undefined; data: Buffer | undefined }
  | { kind: 'text'; data: Buffer }

/** A token of rtf-stream-parser, whose type enumeration only exists at compile time. */
interface LibraryToken {
  type: number
  word?: string
  param?: number
  data?: Buffer
}
const tokenTypes = { open: 0, close: 1, control: 2 }

/** Splits an RTF document into tokens. */
export async function* rtfTokens(content: Uint8Array<ArrayBuffer>): AsyncGenerator<RtfToken> {
  // The stream is in object mode, which its types do not express.
  const tokens: AsyncIterable<LibraryToken> = Readable.from([bufferOf(content)], { objectMode: false }).pipe(
    new Tokenize(),
  )
  for await (const { type, word = '', param, data } of tokens) {
    if (type === tokenTypes.open) yield { kind: 'open' }
    else if (type === tokenTypes.close) yield { kind: 'close' }
    else if (type === tokenTypes.control) yield { kind: 'control', word, value: param, data }
    else if (data) yield { kind: 'text', data }
  }
}
