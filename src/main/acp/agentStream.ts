import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { CLIENT_METHODS, type AnyMessage, type Stream } from '@agentclientprotocol/sdk'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { createBoundedLines } from '../base/boundedLines.ts'
import { waitForDrain } from '../base/waitForDrain.ts'
import type { ServerLog } from '../base/serverLog.ts'

/** Maximum bytes of one message. Longer ones are skipped. */
const maxMessageBytes = 10 * 1024 * 1024
/** Maximum bytes that an agent may send in one turn. */
const maxTurnBytes = 50 * 1024 * 1024
/** Requests with a limit on concurrency, because many at once could exhaust memory. */
const limitedRequests: readonly { methods: readonly string[]; max: number }[] = [
  // Their responses are large, and the agent may not read them.
  { methods: [CLIENT_METHODS.fs_read_text_file, CLIENT_METHODS.terminal_output], max: 4 },
  // They may wait for the user with a large preview.
  { methods: [CLIENT_METHODS.session_request_permission, CLIENT_METHODS.fs_write_text_file], max: 16 },
]
/** Maximum number of waiting requests. */
const maxWaiting = 10_000
/** Maximum number of log messages about lines that are not messages. */
const maxForeignLines = 20

export interface AgentStream {
  stream: Stream
  /** Resets the count of received bytes. */
  beginTurn(): void
}

/**
 * Reads and writes messages on the pipes of a process.
 * @param onFlood called once when the agent has sent too much. Further output is dropped
 */
export function createAgentStream(
  child: ChildProcessWithoutNullStreams,
  log: ServerLog,
  onFlood: (message: string) => void,
): AgentStream {
  const lines = createBoundedLines(maxMessageBytes)
  let received = 0
  let foreign = 0
  let flooded = false
  let ended = false

  let enqueue: (message: AnyMessage) => void = () => undefined
  const limited = limitedRequests.map((limit) => ({
    ...limit,
    /** Ids of requests whose responses are not written yet. */
    answering: new Set<unknown>(),
    waiting: [] as AnyMessage[],
  }))

  function receive(message: AnyMessage): void {
    const group = limited.find(
      ({ methods }) => 'method' in message && 'id' in message && methods.includes(message.method),
    )
    if (!group || !('id' in message)) return enqueue(message)
    const { answering, waiting, max } = group
    if (answering.size < max && !answering.has(message.id)) {
      answering.add(message.id)
      enqueue(message)
    } else if (waiting.push(message) > maxWaiting)
      flood(`It made more than ${formatNumber(maxWaiting)} requests without waiting for responses.`)
  }

  function answered(message: AnyMessage): void {
    if ('method' in message) return
    const group = limited.find(({ answering }) => answering.delete(message.id))
    const next = group?.waiting.shift()
    if (next && !ended) receive(next)
  }

  function flood(message: string): void {
    if (flooded) return
    flooded = true
    for (const { waiting } of limited) waiting.length = 0
    onFlood(message)
  }

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      enqueue = (message) => controller.enqueue(message)
      const end = (): void => {
        if (ended) return
        ended = true
        controller.close()
      }
      child.stdout.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (flooded || ended) return
        if (received > maxTurnBytes) return flood(`It sent more than ${maxTurnBytes / 1024 / 1024} MB in one turn.`)
        for (const line of lines.push(chunk)) {
          const message = 'head' in line || flooded ? undefined : parse(line)
          if (message) receive(message)
        }
      })
      child.stdout.once('end', end)
    },
    // The connection was closed.
    cancel() {
      ended = true
    },
  })

  function parse(line: Buffer): AnyMessage | undefined {
    const text = line.toString('utf8').trim()
    if (text === '') return undefined
    try {
      const value: unknown = JSON.parse(text)
      // The SDK validates the fields of the message.
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as AnyMessage
    } catch {
      // Logged below.
    }
    foreign += 1
    if (foreign <= maxForeignLines) log.add('A line on standard output is not a message and was ignored.')
    return undefined
  }

  // If the process has ended, its exit is reported elsewhere.
  child.stdin.on('error', (error) => log.add(`Standard input failed: ${error.message}`))
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      if (!child.stdin.writable) throw new Error('The agent is not running.')
      if (!child.stdin.write(`${JSON.stringify(message)}\n`)) await waitForDrain(child.stdin)
      answered(message)
    },
  })
  return {
    stream: { readable, writable },
    beginTurn() {
      received = 0
    },
  }
}
