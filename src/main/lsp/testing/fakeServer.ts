import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Diagnostic } from 'vscode-languageserver-protocol'

// A language server over standard input and output that misbehaves as its script says. Started by tests with the script
// as JSON in the first argument.

export interface FakeScript {
  positionEncoding?: string
  capabilities?: Record<string, unknown>
  /** Exits with code 3 at the start. */
  crashAtStart?: boolean
  /** Exits when this request arrives. */
  crashOn?: string
  /** Never answers these requests. */
  hangOn?: string[]
  /**
   * Answers by request. `file:///FOLDER` in an answer stands for the working directory. The answer "delay" postpones the
   * first response to the request until after the second.
   */
  answers?: Record<string, unknown>
  outOfOrder?: string
  /** Sent after each change of a document. */
  diagnostics?: Diagnostic[]
  /** Sends the diagnostics this many times. */
  flood?: number
  /**
   * Workspace edit sent when a command is executed, or after each opened file with `editOnOpen`. Names in `changes` that
   * are not URIs are relative to the working directory.
   */
  edit?: unknown
  editOnOpen?: boolean
  /** Capabilities registered after the start, by method with their options. */
  register?: Record<string, unknown>
  /** Answers a request about the symbols of a file with this many, each below the one before with `nested`. */
  symbols?: number
  nested?: boolean
  /** Allocates this many megabytes. */
  memory?: number
  /** Prints text that is not a message. */
  garbage?: boolean
}

interface Message {
  id?: number
  method?: string
  params?: { textDocument?: { uri: string; version: number }; contentChanges?: unknown[]; files?: unknown }
  result?: unknown
}

const folder = pathToFileURL(process.cwd()).href
const script = JSON.parse((process.argv[2] ?? '{}').replaceAll('file:///FOLDER', folder)) as FakeScript
const kept: Buffer[] = []
let nextId = 1000
let postponed: (() => void) | undefined

function send(message: object): void {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message })
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

function applyEdit(): void {
  const { changes, ...rest } = script.edit as { changes?: Record<string, unknown> }
  const resolved = Object.entries(changes ?? {}).map(([name, edits]) => [
    name.includes(':') ? name : pathToFileURL(path.resolve(name)).href,
    edits,
  ])
  const edit = { ...rest, ...(changes && { changes: Object.fromEntries(resolved) as unknown }) }
  send({ id: nextId++, method: 'workspace/applyEdit', params: { edit } })
}

function manySymbols(count: number, nested: boolean): object[] {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 3 } }
  const symbol = (index: number) => ({ name: `s${index}`, kind: 12, range, selectionRange: range })
  if (!nested) return Array.from({ length: count }, (_, index) => symbol(index))
  let below: object[] = []
  for (let index = count; index > 0; index -= 1) below = [{ ...symbol(index), children: below }]
  return below
}

function answer({ id, method = '', params }: Message): void {
  process.stderr.write(`${method}\n`)
  if (script.crashOn === method) process.exit(4)
  if (script.hangOn?.includes(method)) return
  switch (method) {
    case 'initialize':
      return send({
        id,
        result: {
          capabilities: {
            textDocumentSync: 2,
            hoverProvider: true,
            definitionProvider: true,
            ...script.capabilities,
            ...(script.positionEncoding !== undefined && { positionEncoding: script.positionEncoding }),
          },
        },
      })
    case 'initialized':
      for (const [registered, registerOptions] of Object.entries(script.register ?? {}))
        send({
          id: nextId++,
          method: 'client/registerCapability',
          params: { registrations: [{ id: registered, method: registered, registerOptions }] },
        })
      return
    case 'workspace/willRenameFiles':
    case 'workspace/didRenameFiles':
      process.stderr.write(`${method} ${JSON.stringify(params?.files)}\n`)
      break
    case 'textDocument/didOpen':
    case 'textDocument/didChange': {
      const { uri = '', version } = params?.textDocument ?? {}
      process.stderr.write(`${method} ${JSON.stringify(params?.contentChanges ?? [])}\n`)
      if (script.diagnostics)
        for (let count = 0; count < (script.flood ?? 1); count += 1)
          send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics: script.diagnostics } })
      if (script.editOnOpen === true && method === 'textDocument/didOpen') applyEdit()
      return
    }
    case 'workspace/executeCommand':
      applyEdit()
      return void setTimeout(() => send({ id, result: null }), 20)
    case 'textDocument/documentSymbol':
      if (script.symbols === undefined) break
      return send({ id, result: manySymbols(script.symbols, script.nested === true) })
    case 'exit':
      return process.exit(0)
    default:
  }
  if (id === undefined) {
    if (method === '$/cancelRequest') process.stderr.write('cancelled\n')
    return
  }
  const respond = (): void => send({ id, result: script.answers?.[method] ?? null })
  if (script.outOfOrder !== method) return respond()
  if (postponed === undefined) postponed = respond
  else {
    respond()
    postponed()
  }
}

if (script.crashAtStart === true) process.exit(3)
if (script.garbage === true) process.stdout.write('Welcome to this server! '.repeat(1000))
for (let megabytes = 0; megabytes < (script.memory ?? 0); megabytes += 1) kept.push(Buffer.alloc(1024 * 1024, 1))

let received = Buffer.alloc(0)
process.stdin.on('data', (chunk: Buffer) => {
  received = Buffer.concat([received, chunk])
  for (;;) {
    const headerEnd = received.indexOf('\r\n\r\n')
    const length = Number(/Content-Length: (\d+)/.exec(received.subarray(0, headerEnd).toString())?.[1])
    if (headerEnd < 0 || received.length < headerEnd + 4 + length) return
    const message = JSON.parse(received.subarray(headerEnd + 4, headerEnd + 4 + length).toString()) as Message
    received = received.subarray(headerEnd + 4 + length)
    // Answers to requests of this server have no method.
    if (message.method === undefined) process.stderr.write(`answer ${JSON.stringify(message.result)}\n`)
    else answer(message)
  }
})
process.stdin.on('end', () => process.exit(0))
