import { encodingTexts, type Encoding } from '../../shared/files/encodings.ts'
import { listPaths } from './fileSearch.ts'
import type { SearchDeps } from './searchQuery.ts'

/**
 * Matches bytes that are not valid UTF-8 (Unicode, table 3-7, ignoring the rare limits of the second byte), and NUL,
 * which is frequent in UTF-16. Binary files match too; their first bytes identify them.
 */
const notUtf8 = [
  String.raw`(?-u)\x00`,
  String.raw`(?:^|[\x00-\x7F])[\x80-\xBF]`,
  String.raw`[\xC0\xC1\xF5-\xFF]`,
  String.raw`[\xC2-\xDF](?:$|[^\x80-\xBF])`,
  String.raw`[\xE0-\xEF](?:$|[\x80-\xBF]?(?:$|[^\x80-\xBF]))`,
  String.raw`[\xF0-\xF4](?:$|[\x80-\xBF]{0,2}(?:$|[^\x80-\xBF]))`,
].join('|')

/** Names of binary files, which need not be read. */
const binaryName =
  /\.(?:png|jpe?g|gif|webp|avif|ico|icns|bmp|pdf|zip|gz|tgz|xz|bz2|zst|br|7z|rar|jar|war|class|wasm|woff2?|ttf|otf|eot|mp[34]|webm|ogg|wav|mov|so|dll|dylib|exe|node|o|a|pyc|db|sqlite|gguf|safetensors|parquet)$/i

/** Maximum number of files per search whose encoding is detected. */
const maxFiles = 20_000
/** Number of files read concurrently. */
const readers = 8

/**
 * Finds text files that ripgrep cannot read correctly on its own: neither UTF-8, nor UTF-16 with a byte order mark.
 * @param args flags and paths of the search
 * @param accepts whether a file is searched
 * @returns the files by ripgrep's name for their encoding
 */
export async function findOtherEncodings(
  deps: SearchDeps,
  args: readonly string[],
  accepts: (file: string) => boolean,
  signal: AbortSignal,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (!deps.encodingOf) return found
  const files: string[] = []
  const { encodingOf } = deps
  const flags = ['--text', '--files-with-matches', '--encoding=none', '-e', notUtf8]
  await listPaths(deps, [...flags, ...args], signal, (listed) => {
    const names = listed.map((file) => file.replace(/^\.\//, ''))
    files.push(...names.filter((name) => !binaryName.test(name) && accepts(name)))
    return files.length < maxFiles
  })
  const next = files.values()
  const read = async (): Promise<void> => {
    for (const file of next) {
      if (signal.aborted) return
      const label = labelOf(await encodingOf(file, signal))
      if (label !== undefined) found.set(label, [...(found.get(label) ?? []), file])
    }
  }
  await Promise.all(Array.from({ length: readers }, read))
  return found
}

/** ripgrep recognizes Unicode with a mark itself, and does not support DOS encodings. */
function labelOf(encoding: Encoding | null): string | undefined {
  if (encoding === null || encoding === 'utf8') return undefined
  // The same characters. ripgrep has no other name for it.
  return encoding === 'iso88591' ? encodingTexts.windows1252.label : encodingTexts[encoding].label
}
