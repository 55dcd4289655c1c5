import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** Text that somebody wrote at one position in a file. */
export interface WrittenBlock {
  path: string
  /** The lines before and after it, at that time. */
  before: string[]
  after: string[]
  text: string
}

const git = async (...args: string[]): Promise<string> =>
  (await run('git', args, { cwd: root, maxBuffer: 256 * 1024 * 1024 })).stdout

/**
 * Returns blocks of added lines in TypeScript files of this repository's history, newest first, at most one per file and
 * commit.
 * @param characters how many characters to return, in whole blocks
 */
export async function writtenBlocks(characters: number): Promise<WrittenBlock[]> {
  const blocks: WrittenBlock[] = []
  let length = 0
  const commits = (await git('log', '--no-merges', '--format=%H', '-n', '400', '--', 'src')).trim().split('\n')
  for (const commit of commits) {
    const changed = (await git('show', '--format=', '--name-only', '--diff-filter=M', commit, '--', 'src/*.ts')).trim()
    for (const path of changed
      .split('\n')
      .filter((name) => name !== '')
      .slice(0, 2)) {
      const diff = await git('show', '--format=', '--unified=0', commit, '--', path)
      const hunk = [...diff.matchAll(/^@@ -\d+,0 \+(\d+)(?:,(\d+))? @@/gm)]
        .map(([, start, count]) => ({ start: Number(start), count: Number(count ?? 1) }))
        .find(({ count }) => count >= 2 && count <= 12)
      if (!hunk || hunk.start < 2) continue
      const lines = (await git('show', `${commit}:${path}`)).split('\n')
      const at = hunk.start - 1
      const text = lines.slice(at, at + hunk.count).join('\n')
      if (text.trim().length < 40) continue
      blocks.push({ path, before: lines.slice(0, at), after: lines.slice(at + hunk.count), text })
      length += text.length
      if (length >= characters) return blocks
    }
  }
  throw new Error(`The history of this clone has only ${length} characters of added blocks. Fetch all of it.`)
}
