import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { plural } from '../../../shared/text/plural.ts'
import { findByGlob } from '../common/findByGlob.ts'
import { skippedNote, notSearchedNote, joinSections } from '../common/searchReport.ts'
import { defineTool, type ToolContext } from '../common/toolDefinition.ts'

const maxFiles = 200
/** Maximum number of files to sort by time. Of more files, only the first by path are sorted. */
const maxSortedFiles = 20_000
const maxParallelReads = 32

export const find = defineTool({
  name: 'Find',
  title: 'Find files',
  description: `Finds files by a glob pattern; returns at most ${maxFiles} paths, last modified first. \`*\` matches within a folder, \`**\` across folders. Hidden (unless named), git-ignored and dependency files are skipped.`,
  risk: 'read',
  schema: () =>
    z.object({
      pattern: z.string().describe('Glob relative to `path`, e.g. "**/*.rs" or "src/**/*.toml".'),
      path: z.string().default('.').describe('Folder to search.'),
    }),
  examples: [{ pattern: '**/*.proto', path: 'src' }, { pattern: 'src/**/*.{ts,tsx}' }],
  async run({ pattern, path }, context) {
    const { found, note } = await findByGlob(
      { path, glob: pattern, caseSensitive: true, maxResults: maxSortedFiles },
      context,
    )
    const sorted = await byTime(found.paths, context)
    const paths = sorted.slice(0, maxFiles)
    const none = `No file in "${path}" matches "${pattern}" (${plural(found.filesSearched, 'file')} searched). ${skippedNote('names')}\nNext: try a wider glob such as "**/*name*"; globs are relative to \`path\`.`
    const truncated = found.total > paths.length
    const more = truncated
      ? `(showing ${paths.length} of ${plural(found.total, 'file')}. To narrow: name a subfolder as \`path\`, or use a more specific \`pattern\`.)`
      : ''
    const partly = found.truncated
      ? `(Only the first ${plural(maxSortedFiles, 'file')} by path were sorted by time.)`
      : ''
    return {
      text: joinSections(
        paths.length > 0 ? paths.join('\n') : none,
        note,
        more,
        partly,
        notSearchedNote(found.skipped),
      ),
      view: { kind: 'files', paths, total: found.total, truncated },
    }
  },
})

/** Sorts paths by time, last modified first. Files that no longer exist are omitted. */
async function byTime(paths: readonly string[], { files, signal }: ToolContext): Promise<string[]> {
  const times: { path: string; modified: number }[] = []
  for (let at = 0; at < paths.length; at += maxParallelReads) {
    signal.throwIfAborted()
    const some = await Promise.all(paths.slice(at, at + maxParallelReads).map((path) => timeOf(path, files)))
    times.push(...some.filter((time) => time !== undefined))
  }
  return times.toSorted((a, b) => b.modified - a.modified || (a.path < b.path ? -1 : 1)).map(({ path }) => path)
}

async function timeOf(
  path: string,
  files: ToolContext['files'],
): Promise<{ path: string; modified: number } | undefined> {
  try {
    return { path, modified: (await files.stats(path)).modifiedMs }
  } catch (error) {
    if (error instanceof ToolError && error.code === 'not_found') return undefined
    throw error
  }
}
