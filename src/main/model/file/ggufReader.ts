import type { FileHandle } from 'node:fs/promises'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { ModelError } from '../clients/modelClient.ts'

/** Maximum bytes of metadata. The largest vocabularies take about 20 MB. */
const maxMetadata = 128 * 1024 * 1024
/** Maximum number of texts in lists. The largest vocabularies have about a million. */
const maxTexts = 4_000_000
const chunkSize = 256 * 1024
/** Bytes of the length before a text. */
const lengthSize = 8

/** Reads the metadata of a GGUF file from its beginning in chunks. Each length is compared with the size of the file. */
export class GgufReader {
  readonly file: string
  readonly #handle: FileHandle
  readonly #size: number
  #buffer = Buffer.alloc(0)
  #at = 0
  /** Bytes of the file before the buffer. */
  #start = 0
  #texts = 0

  /** @param size of the file in bytes */
  constructor(handle: FileHandle, file: string, size: number) {
    this.#handle = handle
    this.file = file
    this.#size = size
  }

  async bytes(length: number): Promise<Buffer> {
    this.#check(length)
    if (this.#at + length > this.#buffer.length) await this.#fill(length)
    this.#at += length
    return this.#buffer.subarray(this.#at - length, this.#at)
  }

  skip(length: number): void {
    this.#check(length)
    if (this.#at + length <= this.#buffer.length) this.#at += length
    else {
      this.#start += this.#at + length
      this.#buffer = Buffer.alloc(0)
      this.#at = 0
    }
  }

  /**
   * Skips texts. Waits only for the file, because a vocabulary has hundreds of thousands.
   * @returns whether one of them is `wanted`
   */
  async skipTexts(count: number, wanted: Buffer): Promise<boolean> {
    let isFound = false
    this.#check(count * lengthSize)
    this.#texts += count
    if (this.#texts > maxTexts) throw damaged(this.file, 'Its vocabulary is larger than that of any model')
    for (let left = count; left > 0; left--) {
      if (this.#at + lengthSize > this.#buffer.length) await this.#fill(lengthSize)
      const length = this.#buffer.readUInt32LE(this.#at) + this.#buffer.readUInt32LE(this.#at + 4) * 2 ** 32
      this.#at += lengthSize
      if (isFound || length !== wanted.length) this.skip(length)
      else isFound = (await this.bytes(length)).equals(wanted)
    }
    return isFound
  }

  async uint(): Promise<number> {
    return (await this.bytes(4)).readUInt32LE()
  }

  async long(): Promise<number> {
    return Number((await this.bytes(8)).readBigUInt64LE())
  }

  /** @throws ModelError if the file or its metadata has not so many more bytes */
  #check(length: number): void {
    const end = this.#start + this.#at + length
    if (end > this.#size) throw damaged(this.file, 'It ends in the middle of its metadata')
    if (end > maxMetadata) throw damaged(this.file, `Its metadata takes more than ${formatSize(maxMetadata)}`)
  }

  async #fill(length: number): Promise<void> {
    const rest = this.#buffer.subarray(this.#at)
    const chunk = Buffer.alloc(Math.max(chunkSize, length))
    const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, this.#start + this.#buffer.length)
    this.#start += this.#at
    this.#at = 0
    this.#buffer = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    if (this.#buffer.length < length) throw damaged(this.file, 'It ends in the middle of its metadata')
  }
}

/** @param problem a sentence without a full stop */
export function damaged(file: string, problem: string): ModelError {
  return new ModelError(
    'no_model',
    `${file} is not a complete GGUF file. ${problem}.`,
    'Download the file again, or select another one.',
  )
}
