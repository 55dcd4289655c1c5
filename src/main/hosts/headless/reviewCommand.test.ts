import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { pending, reviewedFolder, type ReviewedFolder } from '../../review/testing/reviewedFolder.ts'
import { runCommand } from './commandDispatch.ts'
import { createOutput } from './standardOutput.ts'

let folder: ReviewedFolder
beforeEach(async () => {
  folder = await reviewedFolder({ 'a.txt': '1\n2\n3\n4\n5\n' })
  await folder.call('write_file', { path: 'a.txt', content: 'one\n2\n3\n4\nfive\n' })
  await folder.call('write_file', { path: 'b.txt', content: 'new\n' })
  await folder.close()
})
afterEach(() => folder.remove())

async function review(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const stream = new PassThrough()
  let out = ''
  stream.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  const code = await runCommand(['review', '--workspace', folder.root, ...args], {
    output: createOutput(stream),
    userData: folder.userData,
    stdin: (async function* () {})(),
  })
  const err = errors.mock.calls.flat().join('\n')
  errors.mockRestore()
  return { code, out, err }
}

it('lists the changed files, and keeps and undoes hunks and files', async () => {
  expect(await review()).toMatchObject({ code: 0, out: 'M a.txt  +2 -2, 2 hunks\nA b.txt  +1 -0, 1 hunk\n' })
  expect(await review('--keep', 'a.txt:1', '--undo', 'a.txt:2', '--undo', 'b.txt')).toMatchObject({ code: 0, out: '' })
  expect([await folder.read('a.txt'), await folder.read('b.txt')]).toEqual(['one\n2\n3\n4\n5\n', null])
})

it('counts hunks in the list before the command, even among equal hunks', async () => {
  await folder.restart()
  await folder.call('write_file', { path: 'c.txt', content: 'x\n2\nx\n4\nx\n6\nx\n' })
  await folder.request('review.keep', { scope: pending, targets: [{ path: 'c.txt' }] })
  await folder.call('write_file', { path: 'c.txt', content: 'y\n2\ny\n4\ny\n6\ny\n' })
  await folder.close()
  const chosen = ['--keep', 'c.txt:1', '--undo', 'c.txt:4', '--undo', 'c.txt:2']
  expect(await review(...chosen)).toMatchObject({ code: 0, out: expect.stringContaining('M c.txt  +1 -1') as string })
  expect(await folder.read('c.txt')).toBe('y\n2\nx\n4\ny\n6\nx\n')
})

it('undoes one hunk of a file and keeps the others', async () => {
  expect(await review('--keep', 'a.txt', '--undo', 'a.txt:2')).toMatchObject({
    code: 0,
    out: 'A b.txt  +1 -0, 1 hunk\n',
  })
  expect(await folder.read('a.txt')).toBe('one\n2\n3\n4\n5\n')
})

it('prints hunks as JSON', async () => {
  const [first] = (await review('--json')).out.split('\n')
  expect(JSON.parse(first ?? '')).toMatchObject({
    path: 'a.txt',
    hunks: [
      { hunk: 1, base: { start: 1, count: 1 }, current: { start: 1, count: 1 }, turn: null },
      { hunk: 2, base: { start: 5, count: 1 } },
    ],
  })
})

it('reports unknown turns, hunks and files, and changes nothing', async () => {
  expect(await review('--since', 'nowhere')).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no turn "nowhere"') as string,
  })
  expect(await review('--since', 'last')).toMatchObject({
    code: 2,
    err: expect.stringContaining('no message has been sent in this folder yet') as string,
  })
  expect(await review('--undo', 'a.txt:9')).toMatchObject({
    code: 2,
    err: expect.stringContaining('2 hunks, so there is no hunk 9') as string,
  })
  expect(await review('--keep', 'a.txt:1', '--undo', 'a.txt:1')).toMatchObject({
    code: 2,
    err: expect.stringContaining('"a.txt:1" is both in --keep and in --undo') as string,
  })
  expect(await review('--keep', 'c.txt')).toMatchObject({
    code: 1,
    err: expect.stringContaining('"c.txt" has no changes to review') as string,
  })
  expect(await folder.read('a.txt')).toBe('one\n2\n3\n4\nfive\n')
})
