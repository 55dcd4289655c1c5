import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { encodings, encodingTexts, isUtf16, type Encoding } from '../../shared/encodings.ts'

/** The types of Node do not have it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: unknown }
}

/** Functions of the module that chardetng-wasm contains. Its own loader needs a bundler that imports .wasm files. */
interface Detector {
  memory: { buffer: ArrayBuffer }
  /** Writes address and length of the name of the encoding to `result`, and frees the bytes. */
  detect(result: number, bytes: number, length: number): void
  __wbindgen_add_to_stack_pointer(bytes: number): number
  __wbindgen_malloc(bytes: number): number
  __wbindgen_free(address: number, bytes: number): void
}

/** Maximum number of bytes that are judged. */
const maxBytes = 64 * 1024

let detector: Detector | undefined

const byLabel = new Map(
  encodings
    .filter((encoding) => encoding !== 'utf8' && !isUtf16(encoding))
    .map((encoding) => [encodingTexts[encoding].label?.toLowerCase(), encoding]),
)

/**
 * Guesses the encoding of a text that is not Unicode, with the detector of Firefox.
 * @returns undefined if the guess is an encoding that Tizona does not have
 */
export function detectEncoding(content: Buffer): Encoding | undefined {
  const bytes = foreignLines(content)
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
    throw new Error('The detector of encodings failed.')
  }
  const { exports } = new WebAssembly.Instance(module, { './chardetng_wasm_bg.js': { __wbindgen_throw: fail } })
  // The module is ours, so its exports are not checked.
  return exports as Detector
}

/** Returns the lines with bytes above 127, because the text between them says nothing and can be long. */
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
