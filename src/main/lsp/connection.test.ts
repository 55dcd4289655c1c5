import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { createServerLog } from '../base/serverLog.ts'
import { connectServer } from './connection.ts'
import type { LaunchedServer } from './launchServer.ts'

const unhandled: unknown[] = []
const onUnhandled = (error: unknown): void => void unhandled.push(error)
process.on('unhandledRejection', onUnhandled)
afterEach(() => process.off('unhandledRejection', onUnhandled))

const message = (body: object): string => {
  const text = JSON.stringify({ jsonrpc: '2.0', ...body })
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

it('a request and the end of a connection that the server has closed leave no failure behind', async () => {
  const output = new PassThrough()
  const exited = Promise.withResolvers<string>()
  const server: LaunchedServer = {
    pid: undefined,
    seesProcesses: true,
    input: new PassThrough().resume(),
    output,
    exited: exited.promise,
    end: async () => exited.resolve('signal SIGKILL'),
  }
  output.write(message({ id: 0, result: { capabilities: {} } }))
  const connection = await connectServer({
    definition: { id: 'fake', title: 'Fake server' },
    server,
    workspace: { root: '/folder' },
    version: '1',
    log: createServerLog(),
    times: { initialize: 5000, request: 20, shutdown: 20 },
    onDiagnostics: () => undefined,
    onRefreshDiagnostics: () => undefined,
    applyEdit: () => ({ applied: false }),
    onAbuse: () => undefined,
  } as unknown as Parameters<typeof connectServer>[0])
  output.end()
  await delay(10)
  await expect(connection.request('textDocument/hover', {} as never, {})).rejects.toThrow()
  await connection.close()
  await delay(50)
  expect(unhandled).toEqual([])
})
