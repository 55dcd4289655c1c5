import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { createBoundedLines } from '../base/boundedLines.ts'
import { drained } from '../base/drained.ts'
import type { ServerLog } from '../base/serverLog.ts'

/** Maximum bytes of one message. Longer ones are skipped. */
const maxMessageBytes = 10 * 1024 * 1024
/** Maximum bytes that an agent may send in one turn. */
const maxTurnBytes = 50 * 1024 * 1024
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

  const readable = new ReadableStream<AnyMessage>({
    start(controller) {
      const end = (): void => {
        if (ended) return
        ended = true
        controller.close()
      }
      child.stdout.on('data', (chunk: Buffer) => {
        received += chunk.length
        if (flooded || ended) return
        if (received > maxTurnBytes) {
          flooded = true
          onFlood(`It sent more than ${maxTurnBytes / 1024 / 1024} MB in one turn.`)
          return
        }
        for (const line of lines.push(chunk)) {
          const message = 'head' in line ? undefined : parse(line)
          if (message) controller.enqueue(message)
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
    },
  })
  return {
    stream: { readable, writable },
    beginTurn() {
      received = 0
    },
  }
}
