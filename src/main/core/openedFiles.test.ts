import path from 'node:path'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createEventHub, type WindowLink } from '../appServices/eventHub.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createBuffers } from '../workspace/buffers.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createOpenedFiles } from './openedFiles.ts'

let home: Awaited<ReturnType<typeof temporaryFolder>>
let session: Awaited<ReturnType<typeof sessionOf>>
let events: ReturnType<typeof createEventHub>
let files: ReturnType<typeof createOpenedFiles>
/** Paths that the window showed. */
let shown: string[]

beforeEach(async () => {
  home = await temporaryFolder({ 'one/a.txt': 'a', 'other/b.txt': 'b' })
  session = await sessionOf('one')
  events = createEventHub(true)
  files = createOpenedFiles(events, () => session)
  shown = []
})
afterEach(async () => {
  files.stop()
  await home.remove()
})

async function sessionOf(name: string) {
  return { workspace: await openWorkspace(path.join(home.root, name)), buffers: createBuffers() }
}

/** @param isText whether the tabs of files have a text, which the window reports */
function attach(isText = true): void {
  const ask = async (_name: string, params: { path: string }) => {
    shown.push(params.path)
    if (isText) session.buffers.sync({ path: params.path, open: true, dirty: false, text: null })
    return { path: params.path }
  }
  // The files ask only to show one.
  files.attach({ emit: () => undefined, ask } as unknown as WindowLink)
}

const at = (name: string) => ({ path: path.join(home.root, name) })

it('reports that a tab was closed', async () => {
  attach()
  const opened = await files.open(at('one/a.txt'))
  session.buffers.sync({ path: 'a.txt', open: false, dirty: false, text: null })
  await opened?.closed
  expect(shown).toEqual(['a.txt'])
})

it('a file outside the folder is shown if the user wants it here, and its tab can be waited for', async () => {
  attach()
  expect(await files.open(at('other/b.txt'))).toBeNull()
  const opened = await files.open({ ...at('other/b.txt'), outside: true })
  const name = `outside://${path.join(home.root, 'other/b.txt')}`
  expect(shown).toEqual([name])
  session.buffers.sync({ path: name, open: false, dirty: false, text: null })
  await opened?.closed
})

it('a tab is waited for also when the folders of the workspace change', async () => {
  attach()
  const opened = await files.open(at('one/a.txt'))
  session.buffers.sync({ path: 'a.txt', open: true, dirty: true, text: 'unsaved' })
  const isClosed = vi.fn()
  void opened?.closed.then(isClosed)
  session = await sessionOf('.')
  const waits = vi.spyOn(session.buffers, 'onChanged')
  events.emit('workspace.changed', null)
  await expect.poll(() => waits.mock.calls.length).toBe(1)
  // The window opens its tabs again.
  session.buffers.sync({ path: 'one/a.txt', open: true, dirty: true, text: 'unsaved' })
  await expect.poll(() => waits.mock.calls.length).toBe(2)
  expect(isClosed).not.toHaveBeenCalled()
  session.buffers.sync({ path: 'one/a.txt', open: false, dirty: false, text: null })
  await opened?.closed
})

it('a folder that is closed while the text is unsaved does not report that the tab was closed', async () => {
  attach()
  const opened = await files.open(at('one/a.txt'))
  session.buffers.sync({ path: 'a.txt', open: true, dirty: true, text: 'unsaved' })
  session = await sessionOf('other')
  events.emit('workspace.changed', null)
  await expect(opened?.closed).rejects.toThrow('before a.txt was saved')
})

it('a core that ends does not report that the tab was closed', async () => {
  attach()
  const opened = await files.open(at('one/a.txt'))
  files.stop()
  await expect(opened?.closed).rejects.toMatchObject({ code: 'cancelled' })
})

it('a file without a text, for example after a failed read, has no tab to wait for', async () => {
  attach(false)
  const opened = await files.open(at('one/a.txt'))
  await expect(opened?.closed).rejects.toThrow('could not be opened as a text')
})

it('a file is not shown in another folder, which was opened before the window came', async () => {
  const found = Promise.withResolvers<void>()
  const opening = files.open({ ...at('one/a.txt'), onFound: found.resolve })
  await found.promise
  session = await sessionOf('other')
  attach()
  expect(await opening).toBeNull()
  expect(shown).toEqual([])
})

it('without a window, a request that does not wait for one fails with what to do', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const opening = files.open({ ...at('one/a.txt'), windowTimeout: 10_000 })
  const failed = expect(opening).rejects.toThrow('Open the page of Tizona')
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(10_000)
  await failed
})

it('a file that a link leads out of the folder is refused before its window moves', async () => {
  const onFound = vi.fn()
  expect(await files.open({ ...at('other/b.txt'), onFound })).toBeNull()
  expect(onFound).not.toHaveBeenCalled()
})
