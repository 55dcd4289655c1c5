import { open } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { maxTextFileSize } from '../../workspace/textFile.ts'
import { readFile } from '../blade/readFile.ts'
import { readFileRange } from '../blade/readFileRange.ts'
import { fileRead as rustantFileRead } from '../rustant/rustantFileRead.ts'
import { fileRead } from '../rusty/rustyFileRead.ts'
import { runTool, temporaryFolder, testContext } from '../testing/toolContext.ts'
import { read } from '../ultrasushitron/readTool.ts'

it('every family reads a range of a file of more than 50 MB, which was refused as too large', async () => {
  const { root, remove } = await temporaryFolder()
  const handle = await open(path.join(root, 'big.log'), 'w')
  const block = '0123456789abcde\n'.repeat(65_536)
  for (let written = 0; written <= maxTextFileSize; written += block.length) await handle.write(block)
  await handle.write('the last line\n')
  await handle.close()
  const total = 51 * 65_536 + 1
  const context = await testContext(root)
  const outcome = async (run: Promise<{ text: string }>) => (await run).text
  const range = { path: 'big.log', start_line: total, end_line: total }
  expect(await outcome(runTool(readFileRange, range, context))).toBe(`${total}: the last line`)
  expect(await outcome(runTool(rustantFileRead, range, context))).toBe('the last line')
  expect(await outcome(runTool(fileRead, { path: 'big.log', offset: total - 1, limit: 1 }, context))).toBe(
    'the last line',
  )
  expect(await outcome(runTool(read, { file_path: 'big.log', offset: total - 1, limit: 1 }, context))).toContain(
    `0123456789abcde\n[… 1 more of ${total.toLocaleString('en')} lines. Read on with offset ${total}. …]`,
  )
  await expect(runTool(readFile, { path: 'big.log' }, context)).rejects.toMatchObject({ code: 'too_large' })
  await remove()
})

const readers = [
  ['read_file_range', readFileRange, (path: string, line: number) => ({ path, start_line: line }), 'start_line '],
  [
    'file_read of Rustant',
    rustantFileRead,
    (path: string, line: number) => ({ path, start_line: line }),
    'start_line ',
  ],
  ['file_read of Rusty', fileRead, (path: string, line: number) => ({ path, offset: line - 1 }), 'offset '],
] as const

it.each(readers)(
  '%s says how to read on after 4 MB of a larger file, in its own parameters',
  async (_name, tool, args, parameter) => {
    const { root, remove } = await temporaryFolder()
    onTestFinished(remove)
    const line = `${'é'.repeat(499)}x`
    const lineCount = Math.ceil((maxTextFileSize + 1) / 1000)
    const handle = await open(path.join(root, 'big.log'), 'w')
    await handle.write(`${line}\n`.repeat(lineCount))
    await handle.close()
    const context = await testContext(root)
    const seen = new Set<number>()
    let next: number | undefined = 1
    // Each read begins where the one before ended, until nothing is missing.
    while (next !== undefined) {
      const { text, view } = await runTool(tool, args('big.log', next), context)
      if (view?.kind !== 'file') throw new Error('no view')
      for (let at = view.startLine; at <= view.endLine; at++) seen.add(at)
      expect(text.split('\n').filter((each) => each.endsWith(line))).toHaveLength(view.endLine - view.startLine + 1)
      const [, given] = new RegExp(`Read on with ${parameter}(\\d+)\\. …\\]$`).exec(text) ?? []
      next = given === undefined ? undefined : Number(given) + (parameter === 'offset ' ? 1 : 0)
    }
    expect(seen.size).toBe(lineCount)
  },
)

it.each(readers)('%s says that a line of more than 4 MB is not whole', async (_name, tool, args) => {
  const { root, remove } = await temporaryFolder()
  onTestFinished(remove)
  const handle = await open(path.join(root, 'big.json'), 'w')
  const block = `a${'é'.repeat(512 * 1024)}`
  for (let written = 0; written <= maxTextFileSize; written += block.length * 2) await handle.write(block)
  await handle.write('\nthe last line')
  await handle.close()
  const { text } = await runTool(tool, args('big.json', 1), await testContext(root))
  expect(text).not.toContain('\uFFFD')
  expect(text).toMatch(
    /\n\[… Line 1 is longer than 4 MB, and only its start is here\. 1 more of 2 lines\. Read on with (start_line 2|offset 1)\. …\]$/,
  )
})
