import { isAscii } from 'node:buffer'
import { lstat } from 'node:fs/promises'
import { ToolError } from '../../shared/errors.ts'
import { extendsAscii, type Encoding } from '../../shared/files/encodings.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import { errorCode } from '../base/fileErrors.ts'
import { decodeText, type DecodedText } from '../base/textFormat.ts'
import type { Workspace } from './containment.ts'
import { stampOf } from './fileStamp.ts'
import { readFilePart } from './readBytes.ts'

/** Encodings for files without a byte order mark. */
export interface EncodingRules {
  /** Encoding from the settings. */
  ofSettings(): Encoding
  /** Encoding that `.editorconfig` sets for a file. @param path relative to the workspace */
  ofFolder(path: string): Promise<Encoding | undefined>
}

/** Encodings of a workspace's files. Paths are relative to it. */
export interface FileEncodings {
  /** Decodes a file as shown in tabs. @throws ToolError `binary_file`, `invalid_encoding` */
  decode(content: Buffer, path: string): DecodedText
  /** Like `decode`, but also uses `.editorconfig`, and remembers the file's encoding. */
  decodeFile(content: Buffer, path: string): Promise<DecodedText>
  /** Returns the format of an ASCII-only file, according to the folder and the settings. */
  formatOfAscii(path: string, format: TextFormat, text: string): Promise<TextFormat>
  /** Returns the format in which new text replaces a file. */
  formatToWrite(path: string, format: TextFormat, before: string, after: string): Promise<TextFormat>
  /** Sets a file's encoding to the user's choice. */
  choose(path: string, encoding: Encoding): void
  /** Records that the window saved a file in an encoding. */
  saved(path: string, encoding: Encoding): void
}

/** Maximum number of files whose detected encoding is remembered. */
const maxRemembered = 10_000

export function createFileEncodings(rules: EncodingRules): FileEncodings {
  const chosen = new Map<string, Encoding>()
  /** Detected encodings. Adding text could change the guess and alter unchanged lines. */
  const remembered = new Map<string, Encoding>()

  const decode = (content: Buffer, path: string, ofFolder?: Encoding): DecodedText => {
    const ofSettings = rules.ofSettings()
    const preferred = [remembered.get(path), ofFolder, ofSettings === 'utf8' ? undefined : ofSettings]
    return decodeText(content, path, {
      chosen: chosen.get(path),
      preferred: preferred.filter((each) => each !== undefined),
    })
  }

  function remember(path: string, encoding: Encoding): void {
    remembered.delete(path)
    if (encoding === 'utf8' || !extendsAscii(encoding)) return
    remembered.set(path, encoding)
    for (const oldest of remembered.keys()) {
      if (remembered.size <= maxRemembered) break
      remembered.delete(oldest)
    }
  }

  async function formatOfAscii(path: string, format: TextFormat, text: string): Promise<TextFormat> {
    if (format.encoding !== 'utf8' || !isAsciiText(text)) return format
    const wanted = chosen.get(path) ?? (await rules.ofFolder(path)) ?? rules.ofSettings()
    // An ASCII file has no mark and one byte per character.
    return text === '' || extendsAscii(wanted) ? { ...format, encoding: wanted } : format
  }

  return {
    decode: (content, path) => decode(content, path),
    async decodeFile(content, path) {
      const decoded = decode(content, path)
      if (decoded.format.encoding === 'utf8' || chosen.has(path)) return decoded
      const ofFolder = remembered.has(path) ? undefined : await rules.ofFolder(path)
      const found = ofFolder === undefined ? decoded : decode(content, path, ofFolder)
      remember(path, found.format.encoding)
      return found
    },
    formatOfAscii,
    formatToWrite: async (path, format, before, after) =>
      isAsciiText(after) && before !== '' ? format : formatOfAscii(path, format, before),
    choose(path, encoding) {
      chosen.set(path, encoding)
      remembered.delete(path)
    },
    saved(path, encoding) {
      if (chosen.has(path)) chosen.set(path, encoding)
      else remember(path, encoding)
    },
  }
}

function isAsciiText(text: string): boolean {
  return isAscii(Buffer.from(text))
}

/** Binary files are recognizable from their first bytes. Most encodings need more. */
const firstBytes = 8 * 1024
const enoughBytes = 1024 * 1024
/** Maximum number of remembered files. */
const maxKnown = 50_000

/** Detects a file's encoding from its first megabyte; null if it is binary or cannot be read. */
export type EncodingLookup = (path: string, signal: AbortSignal) => Promise<Encoding | null>

/** Creates a lookup that only reads a file again if it has changed. */
export function createEncodingLookup(workspace: Workspace, { decode }: Pick<FileEncodings, 'decode'>): EncodingLookup {
  const known = new Map<string, { stamp: string; encoding: Encoding | null }>()

  async function read(absolute: string, path: string, signal: AbortSignal): Promise<Encoding | null> {
    const part = async (length: number) => (await readFilePart(absolute, path, { offset: 0, length }, signal)).bytes
    const first = await part(firstBytes)
    const { encoding } = decode(first, path).format
    if (first.length < firstBytes) return encoding
    const content = await part(enoughBytes)
    // A part can end inside a character.
    return decode(
      extendsAscii(encoding) ? content.subarray(0, content.lastIndexOf(0x0a) + 1 || undefined) : content,
      path,
    ).format.encoding
  }

  return async (name, signal) => {
    try {
      const { absolute, relative } = await workspace.resolve(name)
      const stamp = stampOf(await lstat(absolute, { bigint: true }))
      const before = known.get(relative)
      if (before !== undefined && before.stamp === stamp) return before.encoding
      const encoding = await read(absolute, relative, signal).catch((error: unknown) => {
        if (error instanceof ToolError && ['binary_file', 'invalid_encoding'].includes(error.code)) return null
        throw error
      })
      if (known.size >= maxKnown) known.clear()
      known.set(relative, { stamp, encoding })
      return encoding
    } catch (error) {
      // Deleted in the meantime, or ripgrep reports the reason.
      if (error instanceof ToolError || errorCode(error) !== undefined) return null
      throw error
    }
  }
}
