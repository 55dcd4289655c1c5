import { z } from 'zod'
import { isAbort, toFailure, type Failure } from '../../../shared/errors.ts'
import { globFilter } from '../../search/globs.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { plural } from '../../../shared/text/plural.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'
import { existingPaths, suggestion } from '../common/existingPaths.ts'
import { textLines } from '../common/textLines.ts'
import { firstBytes } from '../common/utf8.ts'
import { capValue, skippedNote } from '../common/searchReport.ts'

const maxFileCount = 500
const maxFileBytes = 524_288
/**
 * Maximum file size in bytes. Larger files are only reported, because reading all of a file to show its start is
 * wasteful.
 */
const maxFileSize = 8 * 1024 * 1024
/** Maximum content in bytes of a result. More than any model reads; limits memory. */
const maxContentBytes = 8 * 1024 * 1024
/** Maximum number of paths to sort, as in the search service. */
const maxPaths = 200_000

/** Fields as in Blade's document. `code` and `next` describe a file that was not read, `unsaved` one that was. */
type Entry =
  | {
      path: string
      truncated: boolean
      content: string
      line_count: number
      byte_count: number
      original_byte_count: number
      unsaved?: true
    }
  | { path: string; error: string; code: Failure['code']; next: string }

export const readManyFiles = defineTool({
  name: 'read_many_files',
  title: 'Read many files',
  description:
    'Reads the text files that globs select, as JSON sorted by path. Binary and very large files are reported but not read; hidden (unless named), git-ignored and dependency files are skipped.',
  risk: 'read',
  schema: () =>
    z.object({
      paths: z.array(z.string()).min(1).describe('Files, folders or globs, e.g. "src/**/*.ts".'),
      exclude: z.array(z.string()).default([]).describe('Globs of files and folders to exclude.'),
      max_files: z.number().int().min(1).default(100).describe(`Files to read (at most ${maxFileCount}).`),
      max_bytes_per_file: z
        .number()
        .int()
        .min(1)
        .default(65_536)
        .describe(`Bytes of each file to return (at most ${maxFileBytes}); longer files are truncated.`),
      include_line_numbers: z
        .boolean()
        .default(false)
        .describe('Prefix each line with its number ("12: text"), which is not part of the file.'),
    }),
  parameterAliases: { globs: 'paths', patterns: 'paths' },
  examples: [{ paths: ['src/**/*.ts', 'README.md'], exclude: ['*.test.ts'], max_files: 20 }],
  reads: ({ paths }) => paths.filter((path) => !/[*?[{]/.test(path)),
  async run(args, context) {
    const started = performance.now()
    const maxFiles = capValue('max_files', args.max_files, maxFileCount)
    const maxBytes = capValue('max_bytes_per_file', args.max_bytes_per_file, maxFileBytes)
    const { matched, missed } = await selectFiles(args.paths, args.exclude, context)
    const files: Entry[] = []
    let room = maxContentBytes
    // Sequential, so that only one file is in memory at a time.
    for (const path of matched.slice(0, maxFiles.value)) {
      if (room <= 0) break
      const entry = await readOne(path, Math.min(maxBytes.value, room), args.include_line_numbers, context)
      files.push(entry)
      if ('content' in entry) room -= entry.byte_count
    }
    const failed = files.filter((file) => 'error' in file).length
    const skipped = matched.length - files.length
    const notes = [
      maxFiles.note,
      maxBytes.note,
      ...(await Promise.all(missed.map((glob) => missedNote(glob, context)))),
      skipped === 0
        ? ''
        : `(${plural(skipped, 'matching file')} not read: raise \`max_files\`, or pass fewer files in \`paths\`.)`,
    ].filter((note) => note !== '')
    const answer = {
      files,
      summary: {
        matched: matched.length,
        returned: files.length - failed,
        truncated_files: files.filter((file) => 'content' in file && file.truncated).length,
        skipped,
        failed,
        elapsed_ms: Math.round(performance.now() - started),
      },
      ...(notes.length > 0 ? { notes } : {}),
    }
    return {
      text: JSON.stringify(answer, null, 1),
      format: 'json',
      readMoreHint: 'To read what is missing, pass fewer files in `paths`, or use read_file_range',
      view: {
        kind: 'files',
        paths: files.flatMap((file) => ('content' in file ? [file.path] : [])),
        total: matched.length,
        truncated: false,
      },
    }
  },
})

/** Returns the matching files, unique and sorted by path, and the globs without matches. */
async function selectFiles(
  globs: readonly string[],
  exclude: readonly string[],
  context: ToolContext,
): Promise<{ matched: string[]; missed: string[] }> {
  const excluded = globFilter(exclude.map((glob) => (glob.startsWith('!') ? glob : `!${glob}`)))
  const found = new Set<string>()
  const missed: string[] = []
  for (const glob of globs) {
    const paths = (await filesOf(glob, context)).filter((path) => excluded?.matches(path) ?? true)
    if (paths.length === 0) missed.push(glob)
    for (const path of paths) found.add(path)
  }
  return { matched: [...found].toSorted(), missed }
}

async function missedNote(glob: string, context: ToolContext): Promise<string> {
  const found = /[*?]/.test(glob) ? [] : await existingPaths(glob, context, context.signal)
  return `(No file matches "${glob}". ${found.length > 0 ? suggestion(found) : skippedNote('names')})`
}

/** The exact name of a file or folder selects it, even if ignored. Anything else is a glob. */
async function filesOf(glob: string, { workspace, search, signal }: ToolContext): Promise<string[]> {
  const named = glob.trim() === '' ? undefined : await workspace.resolve(glob, { missing: 'allow' })
  if (named?.type === 'file') return [named.relative]
  const query = named?.type === 'directory' ? { path: named.relative } : { glob, caseSensitive: true }
  return (await search.files({ ...query, maxResults: maxPaths }, { signal })).paths
}

async function readOne(
  path: string,
  maxBytes: number,
  numbered: boolean,
  { documents, files, signal }: ToolContext,
): Promise<Entry> {
  try {
    signal.throwIfAborted()
    const { size } = await files.info(path)
    if (size > maxFileSize) {
      return {
        path,
        code: 'too_large',
        error: `The file is ${formatSize(size)}; files over ${formatSize(maxFileSize)} are not read here.`,
        next: 'Use read_file_range or grep_search.',
      }
    }
    const { text, unsaved } = await documents.read(path, signal)
    const original = Buffer.byteLength(text)
    const content = original <= maxBytes ? text : firstBytes(text, maxBytes)
    const lines = textLines(content)
    return {
      path,
      truncated: content.length < text.length,
      content: numbered ? lines.map((line, index) => `${index + 1}: ${line}`).join('\n') : content,
      line_count: lines.length,
      byte_count: Buffer.byteLength(content),
      original_byte_count: original,
      ...(unsaved ? { unsaved } : {}),
    }
  } catch (error) {
    if (signal.aborted || isAbort(error)) throw error
    const { code, message, next } = toFailure(error)
    return { path, code, error: message, next }
  }
}
