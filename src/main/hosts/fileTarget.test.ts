import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { UsageError } from './appArguments.ts'
import { findTarget, findTargets } from './fileTarget.ts'

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

it('finds several files, and two that are compared, but no folder among them', async () => {
  const { root, remove } = await temporaryFolder({ 'a.ts': '', 'b.ts': '', 'sub/': '' })
  const at = (name: string) => join(root, name)
  const none = { others: [], newWindow: false }
  expect(await findTargets(none)).toBeUndefined()
  expect(await findTargets({ ...none, target: at('a.ts'), others: [at('b.ts:3')], newWindow: true })).toEqual({
    folder: root,
    file: { path: at('a.ts'), newWindow: true },
    others: [{ path: at('b.ts'), line: 3, newWindow: true }],
  })
  expect(await findTargets({ ...none, target: at('a.ts'), compareWith: at('b.ts') })).toEqual({
    folder: root,
    file: { path: at('a.ts'), compareWith: at('b.ts') },
  })
  await expect(findTargets({ ...none, target: at('a.ts'), others: [at('sub')] })).rejects.toThrow(UsageError)
  await expect(findTargets({ ...none, target: at('sub'), others: [at('a.ts')] })).rejects.toThrow(UsageError)
  await remove()
})

it.runIf(process.platform !== 'win32')('refuses a device, which cannot be edited', async () => {
  await expect(findTarget('/dev/null')).rejects.toThrow('/dev/null is neither a file nor a folder.')
  await expect(findTarget('/dev/null:3')).rejects.toThrow('/dev/null is neither a file nor a folder.')
})
