import { EventEmitter } from 'node:events'
import { beforeEach, expect, it, vi } from 'vitest'
import { createDebuggerTransport, type DebuggerTransport } from './debuggerTransport.ts'

/** The debugger of a page whose target is "t1". */
class FakeDebugger extends EventEmitter {
  readonly sendCommand = vi.fn(async (method: string, _params?: object, _sessionId?: string): Promise<object> => {
    if (method === 'Page.fail') throw new Error('It failed.')
    return method === 'Target.getTargetInfo' ? { targetInfo: { targetId: 't1', url: 'about:blank' } } : { method }
  })
}

let page: FakeDebugger
let connection: DebuggerTransport
let received: object[]
const onClose = vi.fn()

beforeEach(() => {
  page = new FakeDebugger()
  received = []
  onClose.mockClear()
  connection = createDebuggerTransport({ debugger: page, product: 'Chrome/1', userAgent: 'Mozilla', onClose })
  connection.transport.onmessage = (message) => received.push(message)
})

let id = 0
/** Sends a command and returns what was received until its answer. */
async function send(method: string, params?: object, sessionId?: string): Promise<object[]> {
  received.length = 0
  const own = ++id
  connection.transport.send({ id: own, method, params, ...(sessionId !== undefined && { sessionId }) })
  await vi.waitFor(() => expect(received).toContainEqual(expect.objectContaining({ id: own })))
  return received.map((message) => ({ ...message, id: undefined }))
}

it('the page is the only target of a browser that the debugger does not have', async () => {
  expect(await send('Browser.getVersion')).toMatchObject([{ result: { product: 'Chrome/1', userAgent: 'Mozilla' } }])
  expect(await send('Target.setAutoAttach', { autoAttach: true })).toMatchObject([
    {
      method: 'Target.attachedToTarget',
      params: { sessionId: 'page', targetInfo: { targetId: 't1', type: 'page' }, waitingForDebugger: false },
    },
    { result: {} },
  ])
  expect(page.sendCommand).not.toHaveBeenCalledWith('Target.setAutoAttach', expect.anything())
})

it('commands of the page and of targets below it reach the debugger, and failures are answers', async () => {
  await send('Page.enable', { a: 1 }, 'page')
  expect(page.sendCommand).toHaveBeenLastCalledWith('Page.enable', { a: 1 })
  await send('Runtime.enable', {}, 'worker1')
  expect(page.sendCommand).toHaveBeenLastCalledWith('Runtime.enable', {}, 'worker1')
  expect(await send('Page.fail', {}, 'page')).toMatchObject([{ error: { message: 'It failed.' }, sessionId: 'page' }])
})

it('what would leave the page is refused', async () => {
  for (const method of ['Target.createTarget', 'Target.createBrowserContext', 'Browser.grantPermissions'])
    expect(await send(method)).toMatchObject([{ error: { message: expect.stringContaining('not available') } }])
  expect(await send('Browser.getWindowForTarget', {}, 'page')).toMatchObject([{ error: {} }])
  expect(await send('Target.attachToTarget', { targetId: 'another' })).toMatchObject([
    { error: { message: 'A view has one page only.' } },
  ])
})

it('a further session of the page gets its events, but not those about targets below it', async () => {
  const [browser] = (await send('Target.attachToBrowserTarget')) as { result: { sessionId: string } }[]
  const [other] = (await send('Target.attachToTarget', { targetId: 't1' }, browser?.result.sessionId)) as {
    result: { sessionId: string }
  }[]
  received.length = 0
  page.emit('message', {}, 'Page.screencastFrame', { data: '' }, '')
  page.emit('message', {}, 'Target.attachedToTarget', { sessionId: 'worker1' }, '')
  page.emit('message', {}, 'Runtime.consoleAPICalled', {}, 'worker1')
  expect(received).toMatchObject([
    { method: 'Page.screencastFrame', sessionId: 'page' },
    { method: 'Page.screencastFrame', sessionId: other?.result.sessionId },
    { method: 'Target.attachedToTarget', sessionId: 'page' },
    { method: 'Runtime.consoleAPICalled', sessionId: 'worker1' },
  ])
})

it('a page that asks before it is left has no dialog, because Electron answers at once', () => {
  page.emit('message', {}, 'Page.javascriptDialogOpening', { type: 'beforeunload' }, '')
  expect(received).toEqual([])
  page.emit('message', {}, 'Page.javascriptDialogOpening', { type: 'confirm' }, '')
  expect(received).toHaveLength(1)
})

it('closing the page closes the view, and nothing arrives after the end', async () => {
  await send('Target.closeTarget', { targetId: 't1' })
  expect(onClose).toHaveBeenCalledOnce()
  const onclose = vi.fn()
  connection.transport.onclose = onclose
  connection.close('It has ended.')
  connection.close('It has ended.')
  expect(onclose).toHaveBeenCalledExactlyOnceWith('It has ended.')
  received.length = 0
  page.emit('message', {}, 'Page.loadEventFired', {}, '')
  expect(received).toEqual([])
})
