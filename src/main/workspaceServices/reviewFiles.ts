import { ToolError } from '../../shared/errors.ts'
import type { TextFormat } from '../../shared/files/textFormat.ts'
import type { RestoreTarget } from '../history/checkpoints/checkpoints.ts'
import type { ReviewTargetFiles } from '../review/applyContent.ts'
import type { TextCodec } from '../review/reviewStore.ts'
import type { Workspace } from '../workspace/containment.ts'
import type { WindowDocuments } from '../workspace/documents.ts'
import type { FileEncodings } from '../workspace/fileEncodings.ts'
import type { FileOperations } from '../workspace/fileOperations.ts'
import { decodeIn, encodeText, type DecodedText } from '../base/textFormat.ts'

/**
 * Converts between bytes and text as tabs do. @param decode decodes a file according to what is known about its
 * encoding
 */
export function createTextCodec(decode: FileEncodings['decode']): TextCodec {
  return {
    decode(content, path) {
      try {
        const { text, format } = decode(content, path)
        return { text, format }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        return error.code === 'binary_file' ? {} : { why: error.message }
      }
    },
    decodeStored: (content, { encoding }) => decodeIn(content, encoding, '').text,
    encode(text, format, before) {
      try {
        return { bytes: encodeText(text, format, before && decodedIn(before, format)), format }
      } catch (error) {
        if (!(error instanceof ToolError) || error.code !== 'invalid_encoding') throw error
        // The user saved the file in an encoding that lacks one of its characters, or a tab has half of one.
        const wide: TextFormat = { ...format, encoding: 'utf8' }
        return { bytes: encodeText(text.toWellFormed(), wide), format: wide }
      }
    },
  }
}

/** Decodes earlier content of a file; undefined if it was in another format. */
function decodedIn(content: Buffer, { encoding }: TextFormat): DecodedText | undefined {
  try {
    return decodeIn(content, encoding, '')
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return undefined
  }
}

/** Creates the review's write access. Tabs change with their files. */
export function reviewTarget(
  workspace: Workspace,
  documents: WindowDocuments,
  files: FileOperations,
  restore: RestoreTarget,
): ReviewTargetFiles {
  return {
    async edit(path, expected, text) {
      const document = await documents.read(path)
      if (document.text !== expected)
        throw new ToolError('conflict', `"${path}" changed a moment ago, so nothing was undone.`, 'Review it again.')
      await documents.edit(document, text)
    },
    write: restore.write,
    setMode: files.setMode,
    link: restore.link,
    remove: restore.remove,
    removeFolder: restore.removeFolder,
    rename: files.move,
    exists: async (path) => (await workspace.resolve(path, { missing: 'allow', symlink: 'keep' })).exists,
  }
}
