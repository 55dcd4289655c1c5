import { lstat } from 'node:fs/promises'
import { errorCode } from '../base/errorCode.ts'
import { ToolError } from '../../shared/errors.ts'
import { extendsAscii, type Encoding } from '../../shared/files/encodings.ts'
import type { Workspace } from './containment.ts'
import type { FileEncodings } from './fileEncodings.ts'
import { stampOf } from './fileStamp.ts'
import { readFilePart } from './readBytes.ts'

/** Binary files show themselves in their first bytes. Most encodings need more. */
const firstBytes = 8 * 1024
const enoughBytes = 1024 * 1024
/** Maximum number of files that are remembered. */
const maxKnown = 50_000

/** Returns the encoding of a file by its first megabyte; null if it is binary or cannot be read. */
export type EncodingLookup = (path: string, signal: AbortSignal) => Promise<Encoding | null>

/** Creates a lookup that reads a file again only if it has changed. */
export function createEncodingLookup(workspace: Workspace, { decode }: Pick<FileEncodings, 'decode'>): EncodingLookup {
  const known = new Map<string, { stamp: string; encoding: Encoding | null }>()

  async function read(absolute: string, path: string, signal: AbortSignal): Promise<Encoding | null> {
    const part = async (length: number) => (await readFilePart(absolute, path, { offset: 0, length }, signal)).bytes
    const first = await part(firstBytes)
    const { encoding } = decode(first, path).format
    if (first.length < firstBytes) return encoding
    const content = await part(enoughBytes)
    // A part can end within a character.
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
      // It was deleted meanwhile, or ripgrep names the reason.
      if (error instanceof ToolError || errorCode(error) !== undefined) return null
      throw error
    }
  }
}
