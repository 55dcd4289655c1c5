import { chmod, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { createCore, type Core } from '../core.ts'
import { answer, call, say, waitForGate } from '../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { headlessPlatform } from '../testing/headlessPlatform.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>> | undefined
let endpoint: ScriptedEndpoint | undefined
let core: Core | undefined
afterEach(async () => {
  vi.unstubAllEnvs()
  await core?.dispose()
  await endpoint?.close()
  await folder?.remove()
})

/** A server that reports an error for texts with "oops", as soon as a file exists in its working folder. */
const server = `#!${process.execPath}
const { existsSync } = require('node:fs')
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body)
}
function report({ uri, version }, text) {
  const wrong = text.includes('oops')
  if (wrong && !existsSync('ready')) return setTimeout(report, 20, { uri, version }, text)
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }
  const diagnostics = wrong ? [{ range, severity: 1, message: 'oops is not declared' }] : []
  send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } })
}
function take({ id, method, params }) {
  if (method === 'initialize') return send({ id, result: { capabilities: { textDocumentSync: 1 } } })
  if (method === 'textDocument/didOpen') report(params.textDocument, params.textDocument.text)
  if (method === 'textDocument/didChange') report(params.textDocument, params.contentChanges[0].text)
  if (method === 'exit') process.exit(0)
  if (method !== undefined && id !== undefined) send({ id, result: null })
}
let received = Buffer.alloc(0)
process.stdin.on('data', (chunk) => {
  received = Buffer.concat([received, chunk])
  for (;;) {
    const head = received.indexOf('\\r\\n\\r\\n')
    if (head < 0) return
    const end = head + 4 + Number(/Content-Length: (\\d+)/.exec(received.subarray(0, head))[1])
    if (received.length < end) return
    take(JSON.parse(received.subarray(head + 4, end)))
    received = received.subarray(end)
  }
})
process.stdin.on('end', () => process.exit(0))
`

/** Starts a core with the server, and a model that answers request `count` (from 1). */
async function startTurns(respond: (count: number) => ReturnType<typeof answer>) {
  folder = await temporaryFolder({
    'workspace/a.c': 'int a = 1;\n',
    'workspace/b.txt': 'b\n',
    'programs/clangd': server,
    'user/': '',
  })
  const { root } = folder
  await chmod(path.join(root, 'programs/clangd'), 0o755)
  vi.stubEnv('PATH', `${path.join(root, 'programs')}:${process.env['PATH']}`)
  const bodies: string[] = []
  const model = await startScriptedEndpoint({
    name: 'late',
    turns: [],
    respond({ body }) {
      bodies.push(JSON.stringify(body['messages']).slice(0, -1))
      return respond(bodies.length)
    },
  })
  endpoint = model
  core = await createCore({
    platform: headlessPlatform(path.join(root, 'user')),
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: model.url, hasKey: false }],
      model: { endpointId: 'e', model: 'scripted' },
      mode: 'yolo',
    },
    trustWorkspace: true,
  })
  const { handlers, subscribe, openWorkspace } = core
  await openWorkspace(path.join(root, 'workspace'))
  // Starts the server.
  expect(await handlers['language.features']({ path: 'a.c' }, never)).not.toBeNull()
  const { info } = await handlers['conversations.create']({}, never)
  const events: string[] = []
  subscribe((name) => events.push(name))
  const ended = () => events.filter((name) => name === 'conversation.turnEnded').length
  return {
    bodies,
    model,
    send: (text: string) => handlers['conversations.send']({ id: info.id, text }, never),
    turnsEnd: (count: number) => vi.waitFor(() => expect(ended()).toBe(count), 20_000),
    /** Lets the server report the error. */
    async report() {
      await writeFile(path.join(root, 'workspace/ready'), '')
      const problems = async () => JSON.stringify((await handlers['language.state']({}, never)).problems)
      await vi.waitFor(async () => expect(await problems()).toContain('oops is not declared'), 20_000)
    },
  }
}

const mistake = () => answer(call('edit_file', { path: 'a.c', old_content: '= 1', new_content: '= oops' }))

/** Checks how often each request contains the error, and that each begins with the bytes of the one before. */
function expectErrors(bodies: readonly string[], times: readonly number[]): void {
  expect(bodies.map((body) => body.split('oops is not declared').length - 1)).toEqual(times)
  for (const [index, body] of bodies.slice(1).entries()) expect(body.startsWith(bodies[index] ?? '-')).toBe(true)
}

test('errors that a language server reports late are in a later request once, and no earlier byte of it changes', async () => {
  const { bodies, model, send, turnsEnd, report } = await startTurns((count) => {
    if (count === 1) return mistake()
    if (count <= 3) return answer(waitForGate('errors'), call('read_file', { path: 'b.txt' }))
    return answer(say(`Done after ${count} requests.`))
  })
  await send('Change a.')
  await vi.waitFor(() => expect(bodies).toHaveLength(2), 20_000)
  await report()
  model.release('errors')
  await turnsEnd(1)
  await send('And now?')
  await turnsEnd(2)

  expectErrors(bodies, [0, 0, 1, 1, 1])
})

test('errors that a language server reports after the last call of a turn come with the next message, once', async () => {
  const { bodies, send, turnsEnd, report } = await startTurns((count) =>
    count === 1 ? mistake() : answer(say(`Done after ${count} requests.`)),
  )
  await send('Change a.')
  await turnsEnd(1)
  await report()
  await send('And now?')
  await turnsEnd(2)
  await send('Thanks.')
  await turnsEnd(3)

  expectErrors(bodies, [0, 0, 1, 1])
  expect(bodies[2]).toContain('And now?\\n\\n[An earlier edit caused errors:\\na.c:1: oops is not declared')
})
