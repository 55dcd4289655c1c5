import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { parametersInName } from '../../../shared/models/modelName.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { errorCode } from '../../base/fileErrors.ts'
import { ModelError } from '../modelClient.ts'

// Reads the metadata of a GGUF file without loading the model:
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.

/** The metadata that Tizona uses. Undefined fields are not in the file. */
export interface GgufHeader {
  architecture: string
  /** Context size that the model was trained with, in tokens. */
  contextLength: number | undefined
  /** Bytes of the key and value cache per token of context, as 16-bit numbers. */
  cachePerToken: number
  /** Number of parameters. */
  parameters: number | undefined
  /** `rank`: a reranker, which Tizona does not use. */
  purpose: 'chat' | 'embed' | 'rank'
  /** Whether the model only continues a text: it has neither a chat template nor ChatML's marks in its vocabulary. */
  isBase: boolean
}

/** Architectures that cannot write text. */
const encoders =
  /^(bert|nomic-bert|nomic-bert-moe|neo-bert|modern-bert|jina-bert-v2|jina-bert-v3|eurobert|gemma-embedding|t5encoder)$/
/** A value of llama.cpp's `llama_pooling_type`. */
const rankPooling = 4

const maxEntries = 10_000
const maxKeyLength = 1000
/** O_NONBLOCK, which Windows lacks: opening a pipe must not wait for a writer. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Sizes of the value types of fixed length, in bytes. */
const fixedSizes: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
}
/** A mark of ChatML. A model without a template that has it in its vocabulary was trained with it. */
const chatMark = Buffer.from('<|im_start|>')
const stringType = 8
const arrayType = 9
/** Minimum bytes of a tensor's description. */
const minTensorSize = 24

/** Headers of unchanged files, because endpoints are queried often. */
interface KnownFile {
  stamp: string
  header: Promise<GgufHeader>
}

const known = new Map<string, KnownFile>()
/** Maximum number of files to remember. */
const maxKnown = 100

/** @throws ModelError `no_model` if the file cannot be read or is not a complete GGUF file */
export async function readGgufHeader(file: string): Promise<GgufHeader> {
  const handle = await open(file, openFlags).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  try {
    const stats = await handle.stat()
    if (!stats.isFile() && !stats.isDirectory()) throw damaged(file, 'It is a pipe, a socket or a device.')
    const stamp = [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join()
    const before = known.get(file)
    if (before?.stamp === stamp) return await before.header
    const header = readMetadata(new GgufReader(handle, file, stats.size), stats.size).then((values) =>
      headerOf(values, file),
    )
    if (known.size >= maxKnown) known.clear()
    known.set(file, { stamp, header })
    return await header
  } catch (error) {
    if (error instanceof ModelError) throw error
    // The file may be readable next time.
    known.delete(file)
    throw unreadable(file, error)
  } finally {
    await handle.close()
  }
}

type MetadataValue = string | number | boolean | undefined
type Metadata = Map<string, MetadataValue>

async function readMetadata(reader: GgufReader, size: number): Promise<Metadata> {
  if ((await reader.bytes(4)).toString('latin1') !== 'GGUF')
    throw damaged(reader.file, 'It does not begin with the letters "GGUF".')
  const version = await reader.uint()
  if (version < 2 || version > 3) throw damaged(reader.file, `Its format version is ${version}, not 2 or 3.`)
  const tensors = await reader.long()
  if (tensors * minTensorSize > size)
    throw damaged(reader.file, `Its header lists ${tensors} tensors, which do not fit in the file.`)
  const count = await reader.long()
  if (count > maxEntries) throw damaged(reader.file, `Its header lists ${count} metadata entries, which is too many.`)
  const values: Metadata = new Map()
  for (let at = 0; at < count; at++) {
    const keyLength = await reader.long()
    if (keyLength > maxKeyLength)
      throw damaged(reader.file, `The name of a metadata entry is ${formatSize(keyLength)} long.`)
    const key = (await reader.bytes(keyLength)).toString('utf8')
    values.set(key, await readValue(reader, await reader.uint(), 0))
  }
  return values
}

/**
 * Reads a value.
 * @returns undefined for long texts and most lists, which are skipped; for a list of texts, whether `chatMark` is in it
 */
async function readValue(reader: GgufReader, type: number, depth: number): Promise<MetadataValue> {
  if (type === stringType) {
    const length = await reader.long()
    if (length > maxKeyLength) {
      reader.skip(length)
      return undefined
    }
    return (await reader.bytes(length)).toString('utf8')
  }
  if (type === arrayType) {
    const itemType = await reader.uint()
    const length = await reader.long()
    const size = fixedSizes[itemType]
    if (size !== undefined) {
      // Some models have one value per layer. The largest one is the safe choice for memory.
      if (length > 0 && length <= 1000 && itemType >= 4 && itemType <= 5) {
        const items = await reader.bytes(length * 4)
        return Math.max(...Array.from({ length }, (_, at) => items.readUInt32LE(at * 4)))
      }
      reader.skip(length * size)
      return undefined
    }
    if (itemType === stringType) return reader.skipTexts(length, chatMark)
    // Models have no such lists. Each would have to be read.
    if (depth > 0 || length > maxEntries) throw damaged(reader.file, 'Its metadata has too many nested lists.')
    for (let at = 0; at < length; at++) await readValue(reader, itemType, depth + 1)
    return undefined
  }
  const size = fixedSizes[type]
  if (size === undefined) throw damaged(reader.file, `A metadata entry has the unknown type ${type}.`)
  const bytes = await reader.bytes(size)
  if (type === 4) return bytes.readUInt32LE()
  if (type === 5) return bytes.readInt32LE()
  if (type === 2) return bytes.readUInt16LE()
  return type === 10 ? Number(bytes.readBigUInt64LE()) : undefined
}

function headerOf(values: ReadonlyMap<string, MetadataValue>, file: string): GgufHeader {
  const architecture = values.get('general.architecture')
  if (typeof architecture !== 'string') throw damaged(file, 'Its metadata does not name an architecture.')
  const sizeLabel = values.get('general.size_label')
  const number = (key: string): number | undefined => {
    const value = values.get(key)
    return typeof value === 'number' && value > 0 ? value : undefined
  }
  const own = (key: string): number | undefined => number(`${architecture}.${key}`)
  const heads = own('attention.head_count') ?? 1
  const headSize = (own('embedding_length') ?? 0) / heads
  const keySize = own('attention.key_length') ?? headSize
  const valueSize = own('attention.value_length') ?? headSize
  const cacheHeads = own('attention.head_count_kv') ?? heads
  return {
    architecture,
    contextLength: own('context_length'),
    parameters: typeof sizeLabel === 'string' ? parametersInName(sizeLabel) : undefined,
    purpose: purposeOf(architecture, own('pooling_type')),
    isBase: !values.has('tokenizer.chat_template') && values.get('tokenizer.ggml.tokens') !== true,
    cachePerToken: (own('block_count') ?? 0) * cacheHeads * (keySize + valueSize) * 2,
  }
}

/** @param pooling how the token vectors of a text are combined; undefined for chat models */
function purposeOf(architecture: string, pooling: number | undefined): GgufHeader['purpose'] {
  if (pooling === rankPooling) return 'rank'
  return pooling !== undefined || encoders.test(architecture) ? 'embed' : 'chat'
}

function unreadable(file: string, error: unknown): ModelError {
  const code = errorCode(error)
  if (code === 'ENOENT')
    return new ModelError('no_model', `There is no file ${file}.`, 'Correct the path in the settings.', {
      cause: error,
    })
  const message =
    code === 'EISDIR'
      ? `${file} is a folder.`
      : `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`
  return new ModelError('no_model', message, 'Select another file in the settings.', { cause: error })
}

/** Maximum bytes of metadata. The largest vocabularies take about 20 MB. */
const maxMetadata = 128 * 1024 * 1024
/** Maximum number of texts in lists. The largest vocabularies have about a million. */
const maxTexts = 4_000_000
const chunkSize = 256 * 1024
/** Bytes of the length before a text. */
const lengthSize = 8

/** Reads the metadata of a GGUF file from its beginning in chunks. Each length is compared with the size of the file. */
class GgufReader {
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
    if (this.#texts > maxTexts) throw damaged(this.file, 'Its vocabulary is larger than that of any model.')
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

  /** @throws ModelError if the file or its metadata ends before */
  #check(length: number): void {
    const end = this.#start + this.#at + length
    if (end > this.#size) throw damaged(this.file, 'It ends in the middle of its metadata.')
    if (end > maxMetadata) throw damaged(this.file, `Its metadata takes more than ${formatSize(maxMetadata)}.`)
  }

  async #fill(length: number): Promise<void> {
    const rest = this.#buffer.subarray(this.#at)
    const chunk = Buffer.alloc(Math.max(chunkSize, length))
    const { bytesRead } = await this.#handle.read(chunk, 0, chunk.length, this.#start + this.#buffer.length)
    this.#start += this.#at
    this.#at = 0
    this.#buffer = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    if (this.#buffer.length < length) throw damaged(this.file, 'It ends in the middle of its metadata.')
  }
}

/** @param problem a sentence */
function damaged(file: string, problem: string): ModelError {
  return new ModelError(
    'no_model',
    `${file} is not a complete GGUF file. ${problem}`,
    'Download the file again, or select another one.',
  )
}
