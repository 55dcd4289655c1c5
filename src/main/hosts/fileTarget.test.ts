import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { UsageError } from './appArguments.ts'
import { findTarget } from './fileTarget.ts'

it('tells folders, files, positions and new files apart', async () => {
  const { root, remove } = await temporaryFolder({ 'a.ts': '', 'odd:3': '', 'sub/': '' })
  const at = (name: string) => findTarget(join(root, name))
  const file = (name: string) => join(root, name)
  expect(await at('sub')).toEqual({ folder: file('sub') })
  expect(await at('a.ts')).toEqual({ folder: root, file: { path: file('a.ts') } })
  expect(await at('a.ts:3')).toEqual({ folder: root, file: { path: file('a.ts'), line: 3 } })
  expect(await at('a.ts:3:14')).toEqual({ folder: root, file: { path: file('a.ts'), line: 3, column: 14 } })
  expect(await at('odd:3')).toEqual({ folder: root, file: { path: file('odd:3') } })
  expect(await at('odd:3:14')).toEqual({ folder: root, file: { path: file('odd:3'), line: 14 } })
  expect(await at('new.ts')).toEqual({ folder: root, file: { path: file('new.ts') } })
  await expect(at('none/new.ts')).rejects.toThrow(UsageError)
  await remove()
})

it.runIf(process.platform !== 'win32')('refuses a device, which cannot be edited', async () => {
  await expect(findTarget('/dev/null')).rejects.toThrow('/dev/null is neither a file nor a folder.')
  await expect(findTarget('/dev/null:3')).rejects.toThrow('/dev/null is neither a file nor a folder.')
})
