import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { CLIENT_METHODS, type AnyMessage, type Stream } from '@agentclientprotocol/sdk'
import { createBoundedLines } from '../base/boundedLines.ts'
import { drained } from '../base/drained.ts'
import type { ServerLog } from '../base/serverLog.ts'

/** Maximum bytes of one message. Longer ones are skipped. */
const maxMessageBytes = 10 * 1024 * 1024
/** Maximum bytes that an agent may send in one turn. */
const maxTurnBytes = 50 * 1024 * 1024
/** Requests with large answers. An agent that does not read them would fill the memory. */
const largeAnswers: readonly string[] = [CLIENT_METHODS.fs_read_text_file, CLIENT_METHODS.terminal_output]
/** Maximum number of such requests that are answered at the same time, and of those that wait. */
const maxAnswering = 4
const maxWaiting = 10_000
/** Maximum number of log messages about lines that are not messages. */
const maxForeignLines = 20

export interface AgentStream {
  stream: Stream
  /** Resets the count of what the agent sends. */
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
  /** Ids of requests whose answers are not written yet. */
  const answering = new Set<unknown>()
  const waiting: AnyMessage[] = []

  function receive(message: AnyMessage): void {
    if (!('method' in message && 'id' in message && largeAnswers.includes(message.method))) return enqueue(message)
    if (answering.size < maxAnswering && !answering.has(message.id)) {
      answering.add(message.id)
      enqueue(message)
    } else if (waiting.push(message) > maxWaiting)
      flood(`It made more than ${maxWaiting} requests before it had their answers.`)
  }

  function answered(message: AnyMessage): void {
    if ('method' in message || !answering.delete(message.id)) return
    const next = waiting.shift()
    if (next && !ended) receive(next)
  }

  function flood(message: string): void {
    if (flooded) return
    flooded = true
    waiting.length = 0
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
      // The SDK validates what is in the message.
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as AnyMessage
    } catch {
      // Logged below.
    }
    foreign += 1
    if (foreign <= maxForeignLines) log.add('A line on standard output is not a message and was ignored.')
    return undefined
  }

  // A process that has ended reports its exit.
  child.stdin.on('error', (error) => log.add(`Standard input failed: ${error.message}`))
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      if (!child.stdin.writable) throw new Error('The agent is not running.')
      if (!child.stdin.write(`${JSON.stringify(message)}\n`)) await drained(child.stdin)
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
