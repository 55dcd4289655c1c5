import { open } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
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
