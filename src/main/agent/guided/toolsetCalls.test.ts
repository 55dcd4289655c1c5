import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { toolsetNames, type ToolsetName } from '../../../shared/tools/risk.ts'
import { createCore, type Core } from '../../core.ts'
import { headlessPlatform } from '../../testing/headlessPlatform.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { toolsetCalls, type GuidedCall } from './toolsetCalls.ts'

let close: (() => Promise<void>) | undefined
afterEach(() => close?.())

async function open(): Promise<{ root: string; core: Core }> {
  const folder = await temporaryFolder({ 'a.txt': 'one\n  two (2)\nthree\n', 'b.txt': 'b\n' })
  const user = await temporaryFolder({})
  const core = await createCore({ platform: headlessPlatform(user.root), trustWorkspace: true })
  await core.openWorkspace(folder.root)
  close = async () => {
    await core.dispose()
    await Promise.all([rm(folder.root, { recursive: true }), rm(user.root, { recursive: true })])
  }
  return { root: folder.root, core }
}

describe.each(toolsetNames)('the calls of guided turns for %s', (toolset: ToolsetName) => {
  test('do what they are named after', async () => {
    const { root, core } = await open()
    let calls = 0
    const run = async (call: GuidedCall | undefined): Promise<string> => {
      if (!call) return ''
      const [name, args] = call
      const { ok, text } = await core.executor.call({
        callId: `c${calls++}`,
        name,
        arguments: { ...args },
        toolset,
        mode: 'yolo',
        attended: false,
        signal: new AbortController().signal,
      })
      expect(ok, `${name}: ${text}`).toBe(true)
      return text
    }
    const { read, edit, create, search, list, delete: remove, rename, run: command } = toolsetCalls[toolset]
    const onDisk = (path: string) => readFile(join(root, path), 'utf8').catch(() => null)

    expect(await run(read?.('a.txt'))).toContain('two (2)')
    await run(edit?.('a.txt', '  two (2)', '  two (3)'))
    expect(await onDisk('a.txt')).toBe('one\n  two (3)\nthree\n')
    await run(create?.('new/c.txt', 'c'))
    expect(await onDisk('new/c.txt')).toMatch(/^c\n?$/)
    if (search) expect(await run(search('two (3)'))).toContain('a.txt')
    if (list) expect(await run(list())).toContain('b.txt')
    if (command) expect(await run(command('echo printed'))).toContain('printed')
    await run(rename?.('b.txt', 'd.txt'))
    if (rename) expect([await onDisk('b.txt'), await onDisk('d.txt')]).toEqual([null, 'b\n'])
    await run(remove?.('new/c.txt'))
    if (remove) expect(await onDisk('new/c.txt')).toBeNull()
  })
})
