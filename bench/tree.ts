import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const words =
  'workspace buffer hunk checkpoint toolset endpoint turn model gate risk shell window search index symbol graph'.split(
    ' ',
  )

/**
 * Creates a reproducible tree of source-like files: 200 folders, about 60 lines per file, one match in every hundredth
 * file.
 */
export async function makeTree(files: number): Promise<{ root: string; remove(): Promise<void> }> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-')))
  let seed = 42
  const next = (limit: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * limit)
  }
  for (let folder = 0; folder < 200; folder++) {
    const path = join(root, `package${folder % 20}`, `module${folder}`)
    await mkdir(path, { recursive: true })
    const writes: Promise<void>[] = []
    for (let file = folder; file < files; file += 200) {
      const lines = Array.from(
        { length: 40 + next(40) },
        (_, line) => `  const ${words[next(words.length)]}${line} = ${words[next(words.length)]}(${next(1000)})`,
      )
      if (file % 100 === 0) lines[10] = `  findTheNeedle(${file})`
      writes.push(writeFile(join(path, `file${file}.${file % 3 === 0 ? 'ts' : 'js'}`), lines.join('\n')))
    }
    await Promise.all(writes)
  }
  return { root, remove: () => rm(root, { recursive: true, force: true }) }
}
