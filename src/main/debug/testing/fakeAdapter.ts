// A debug adapter over standard input and output that misbehaves as its script says. Started by tests with the script as
// JSON in the first argument. It has one thread that stops at once, one frame and a few variables.

export interface FakeAdapterScript {
  /** Exits with code 3 at the start. */
  crashAtStart?: boolean
  /** Exits when this request arrives. */
  crashOn?: string
  /** Never responds to these requests. */
  hangOn?: string[]
  /** Fails these requests with the message. */
  failOn?: Record<string, string>
  /** Bodies of responses, by request. */
  bodies?: Record<string, unknown>
  /** Responds to these requests without a body. */
  withoutBody?: string[]
  /** Number of variables, in responses without paging. */
  manyVariables?: number
  /** Characters of the value of an expression. */
  longValue?: number
  /** Capabilities besides `supportsConfigurationDoneRequest`. */
  capabilities?: Record<string, unknown>
  /** Responds to `launch` before or after `configurationDone`, or sends `initialized` before `launch`. */
  order?: 'launchFirst' | 'launchLast' | 'initializedFirst' | 'neverInitialized'
  /** Raw text sent instead of the response to `threads`. */
  raw?: string
  /** Prints this text at the start, before any message. */
  garbage?: string
  /** Sends this many `output` events of 1,000 characters after the start. */
  flood?: number
  /** Events sent after the start. */
  events?: { event: string; body?: unknown }[]
  /** Requests sent to the client after the start. */
  requests?: { command: string; arguments?: unknown }[]
  /** Number of responses sent twice. */
  duplicates?: boolean
  /** Closes its output after the start, but keeps running. */
  closeOutput?: boolean
  /** Does not stop after the start. */
  runs?: boolean
  /** Ignores `terminate`, `disconnect` and the end of its input. */
  immortal?: boolean
  /** Milliseconds before each response. */
  delay?: number
}

interface Request {
  seq: number
  type: string
  command: string
  arguments?: Record<string, unknown>
}

const script = JSON.parse(process.argv[2] ?? '{}') as FakeAdapterScript
let seq = 0

function send(message: object): void {
  const body = JSON.stringify({ seq: ++seq, ...message })
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
}

const event = (name: string, body?: unknown): void => send({ type: 'event', event: name, body })

const bodies: Record<string, unknown> = {
  initialize: { supportsConfigurationDoneRequest: true, ...script.capabilities },
  threads: { threads: [{ id: 1, name: 'main' }] },
  stackTrace: {
    stackFrames: [{ id: 1, name: 'work', line: 2, column: 1, source: { path: `${process.cwd()}/a.txt` } }],
  },
  scopes: { scopes: [{ name: 'Locals', variablesReference: 1, expensive: false }] },
  variables: { variables: [{ name: 'x', value: '1', variablesReference: 0 }] },
  evaluate: { result: '1', variablesReference: 0 },
  ...(script.manyVariables !== undefined && { variables: { variables: manyVariables(script.manyVariables) } }),
  ...(script.longValue !== undefined && { evaluate: { result: 'v'.repeat(script.longValue), variablesReference: 0 } }),
  ...Object.fromEntries((script.withoutBody ?? []).map((command) => [command, undefined])),
  ...script.bodies,
}

function manyVariables(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${index}`,
    value: 'v'.repeat(1000),
    variablesReference: 0,
  }))
}

function respond(request: Request): void {
  const failure = script.failOn?.[request.command]
  const response = {
    type: 'response',
    request_seq: request.seq,
    command: request.command,
    success: failure === undefined,
    ...(failure === undefined ? { body: responseBody(request) } : { message: failure }),
  }
  const count = script.duplicates === true ? 2 : 1
  for (let sent = 0; sent < count; sent++) send(response)
}

function responseBody({ command, arguments: args }: Request): unknown {
  if (command === 'setBreakpoints' && bodies['setBreakpoints'] === undefined) {
    const { breakpoints = [] } = args as { breakpoints?: unknown[] }
    return { breakpoints: breakpoints.map((_, index) => ({ id: index + 1, verified: true })) }
  }
  return bodies[command]
}

function afterStart(): void {
  event('thread', { reason: 'started', threadId: 1 })
  for (let sent = 0; sent < (script.flood ?? 0); sent++)
    event('output', { category: 'stdout', output: `${'x'.repeat(999)}\n` })
  for (const each of script.events ?? []) event(each.event, each.body)
  for (const each of script.requests ?? []) send({ type: 'request', ...each })
  if (script.closeOutput === true) process.stdout.end()
  else if (script.runs !== true) event('stopped', { reason: 'breakpoint', threadId: 1, allThreadsStopped: true })
}

let launch: Request | undefined

function handle(request: Request): void {
  if (request.type !== 'request') {
    // Responses of the client are shown, so that tests can check them.
    event('output', { category: 'console', output: `client: ${JSON.stringify(request)}\n` })
    return
  }
  const { command } = request
  if (command === script.crashOn) process.exit(3)
  if (script.hangOn?.includes(command) === true) return
  if (command === 'threads' && script.raw !== undefined) return void process.stdout.write(script.raw)
  const order = script.order ?? 'launchFirst'
  if (command === 'launch') {
    launch = request
    if (order !== 'launchLast') respond(request)
    if (order === 'launchFirst' || order === 'launchLast') event('initialized')
    return
  }
  respond(request)
  if (command === 'initialize' && order === 'initializedFirst') event('initialized')
  if (command === 'configurationDone') {
    if (order === 'launchLast' && launch !== undefined) respond(launch)
    afterStart()
  }
  if (command === 'continue') event('terminated')
  if ((command === 'disconnect' || command === 'terminate') && script.immortal !== true) process.exit(0)
}

if (script.immortal === true) for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
if (script.crashAtStart === true) {
  process.stderr.write('the adapter found no license\n')
  process.exit(3)
}
if (script.garbage !== undefined) process.stdout.write(script.garbage)

let received = Buffer.alloc(0)
process.stdin.on('data', (chunk: Buffer) => {
  received = Buffer.concat([received, chunk])
  for (;;) {
    const end = received.indexOf('\r\n\r\n')
    if (end < 0) return
    const length = Number(/Content-Length: (\d+)/.exec(received.subarray(0, end).toString())?.[1])
    if (received.length < end + 4 + length) return
    const request = JSON.parse(received.subarray(end + 4, end + 4 + length).toString()) as Request
    received = received.subarray(end + 4 + length)
    if (script.delay === undefined) handle(request)
    else setTimeout(() => handle(request), script.delay)
  }
})
process.stdin.on('end', () => {
  if (script.immortal !== true) process.exit(0)
})
if (script.immortal === true) setInterval(() => undefined, 1000)
