import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encodings, encodingTexts, isUtf16, type Encoding } from '../../shared/files/encodings.ts'
import { decodeBytes } from './textBytes.ts'

/** Missing in Node's types. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: unknown }
}

/** Functions of chardetng-wasm's module. Its own loader needs a bundler that imports .wasm files. */
interface Detector {
  memory: { buffer: ArrayBuffer }
  /** Writes the address and length of the encoding's name to `result`, and frees the bytes. */
  detect(result: number, bytes: number, length: number): void
  __wbindgen_add_to_stack_pointer(bytes: number): number
  __wbindgen_malloc(bytes: number): number
  __wbindgen_free(address: number, bytes: number): void
}

/** Maximum number of bytes passed to the detector. */
const maxBytes = 64 * 1024

let detector: Detector | undefined

const byLabel = new Map(
  encodings
    .filter((encoding) => encoding !== 'utf8' && !isUtf16(encoding))
    .map((encoding) => [encodingTexts[encoding].label?.toLowerCase(), encoding]),
)

/**
 * Guesses the encoding of text that is not Unicode with Firefox's detector. Corrects its mistakes on short texts
 * where the bytes are unambiguous. A guess from a few bytes can still be wrong.
 * @returns undefined for an encoding that Tizona does not support
 */
export function detectEncoding(content: Buffer): Encoding | undefined {
  const bytes = foreignLines(content)
  if (isGb18030(bytes)) return 'gb18030'
  const guess = detectByFrequency(bytes)
  if (guess === undefined || !latin.has(guess)) return guess
  if (isShiftJis(bytes)) return 'shiftjis'
  return isWestern(bytes, guess) ? 'windows1252' : guess
}

/** European encodings that the detector guesses for short texts of other encodings. */
const centralEuropean: readonly Encoding[] = ['windows1250', 'iso88592']
const baltic: readonly Encoding[] = ['windows1257', 'iso88594', 'iso885913']
const latin: ReadonlySet<Encoding> = new Set(['windows1252', ...centralEuropean, ...baltic])
/** Windows 1252 punctuation in a plausible context. Elsewhere the same bytes can be letters of other encodings. */
const westernSign =
  /(?<![\p{L}\d])[©®](?!\p{L})|(?<=\p{Ll})®(?!\p{L})|(?<!\p{L})[£¥±½¼¾](?!\p{L})|(?<!\p{L})µ(?=[AFgHlmNsVW](?!\p{L}))|[‘’“”‚„…–—•€™]/gu

/** As in "naïve". Baltic encodings have "ļ" at this byte, which precedes vowels. */
const westernDiaeresis = /(?<=[aeou])ï(?=[bcdfglmnpqrstvwxz])/g

/** Whether text detected as Central European or Baltic is Western: the bytes that differ are Western punctuation. */
function isWestern(bytes: Buffer, guess: Encoding): boolean {
  if (guess === 'windows1252') return true
  const western = decodeBytes(bytes, 'windows1252')
  const other = decodeBytes(bytes, guess)
  const patterns = baltic.includes(guess) ? [westernSign, westernDiaeresis] : [westernSign]
  const signs = new Set(patterns.flatMap((pattern) => Array.from(western.matchAll(pattern), ({ index }) => index)))
  return Array.from(western).every((character, index) => character === other[index] || signs.has(index))
}

/** Whether text has four-byte characters, which only GB 18030 has, among common two-byte ones. */
function isGb18030(bytes: Buffer): boolean {
  const units = bytes.toString('latin1')
  if (!/[\x81-\xfe]\d[\x81-\xfe]\d/.test(units) || !/[\xa1-\xfe]{2}/.test(units)) return false
  const foreign = decodeBytes(bytes, 'gb18030').match(/[^\0-\x7f]/gu) ?? []
  return (
    foreign.some((character) => /[\u{3400}-\u{4dbf}\u{20000}-\u{323af}]/u.test(character)) &&
    foreign.every((character) => /[\p{Script=Han}\u3000-\u303f\uff01-\uff5e]/u.test(character))
  )
}

/** Whether text is Japanese with half-width kana: all of it decodes as Japanese, and some bytes are full-width kana. */
function isShiftJis(bytes: Buffer): boolean {
  const foreign = decodeBytes(bytes, 'shiftjis').match(/[^\0-\x7f]/gu) ?? []
  return (
    foreign.filter((character) => /[\u3041-\u3096\u30a1-\u30fc]/.test(character)).length >= 2 &&
    foreign.every((character) => /[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff9f]/.test(character))
  )
}

function detectByFrequency(bytes: Buffer): Encoding | undefined {
  detector ??= loadDetector()
  const result = detector.__wbindgen_add_to_stack_pointer(-16)
  try {
    const address = detector.__wbindgen_malloc(bytes.length)
    new Uint8Array(detector.memory.buffer).set(bytes, address)
    detector.detect(result, address, bytes.length)
    const [name = 0, length = 0] = new Int32Array(detector.memory.buffer, result, 2)
    const label = Buffer.from(detector.memory.buffer, name, length).toString('latin1')
    detector.__wbindgen_free(name, length)
    return byLabel.get(label.toLowerCase())
  } finally {
    detector.__wbindgen_add_to_stack_pointer(16)
  }
}

function loadDetector(): Detector {
  const file = createRequire(import.meta.url).resolve('chardetng-wasm/dist/chardetng_wasm_bg.wasm')
  const module = new WebAssembly.Module(readFileSync(file))
  const fail = (): never => {
    throw new Error('The encoding detector failed.')
  }
  const { exports } = new WebAssembly.Instance(module, { './chardetng_wasm_bg.js': { __wbindgen_throw: fail } })
  // The module is our own, so its exports are not validated.
  return exports as Detector
}

/** Returns the lines with bytes above 127. ASCII text between them can be long and is the same in every encoding. */
function foreignLines(content: Buffer): Buffer {
  const found: Buffer[] = []
  let size = 0
  for (let at = 0; at < content.length && size < maxBytes;) {
    const next = content.indexOf(0x0a, at)
    const end = next < 0 ? content.length : next + 1
    const line = content.subarray(at, Math.min(end, at + maxBytes - size))
    if (line.some((byte) => byte >= 0x80)) {
      found.push(line)
      size += line.length
    }
    at = end
  }
  return Buffer.concat(found)
}
