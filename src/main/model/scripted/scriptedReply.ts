import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { newCallId } from '../clients/validHistory.ts'
import type { ReplyPart, StreamReply } from './scenario.ts'

export interface ReplyContext {
  model: string
  pace: number
  /** Size of the request, for estimated usage. */
  promptCharacters: number
  /** Resolves when the gate is released. */
  gate(name: string): Promise<void>
  /** Aborts when the client disconnects. */
  signal: AbortSignal
}

/** Streams a reply as a chat completion in server-sent events. @throws AbortError if the client disconnects */
export async function streamReply(response: ServerResponse, reply: StreamReply, context: ReplyContext): Promise<void> {
  const id = `chatcmpl-${newCallId()}`
  const chunk = (fields: Record<string, unknown>) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', model: context.model, ...fields })}\n\n`
  const delta = (fields: Record<string, unknown>, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
  const write = (text: string) => writeBytes(response, Buffer.from(text), reply.bytesPerWrite, context.signal)
  const pace = async () => {
    const ms = reply.pace ?? context.pace
    if (ms > 0) await delay(ms, undefined, { signal: context.signal })
  }

  // A reply that starts with a pause sends its headers late, like a server that loads its model first.
  const begin = reply.parts.findIndex((part) => part.kind !== 'hold' && part.kind !== 'pause')
  for (const part of reply.parts.slice(0, begin === -1 ? undefined : begin)) await wait(part, context)
  const parts = begin === -1 ? [] : reply.parts.slice(begin)
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  response.flushHeaders()
  // llama-server begins with null, others with an empty text.
  await write(delta({ role: 'assistant', content: null }))
  let calls = 0
  let characters = 0
  for (const group of groupCalls(parts)) {
    const [part] = group
    if (!part) continue
    switch (part.kind) {
      case 'text':
      case 'reasoning':
        for (const piece of pieces(part.text)) {
          await write(delta(part.kind === 'text' ? { content: piece } : { [part.field]: piece }))
          await pace()
        }
        characters += part.text.length
        break
      case 'call':
        for (const fragments of callFragments(group, calls)) {
          await write(delta({ tool_calls: fragments }))
          await pace()
        }
        calls += group.length
        break
      case 'pause':
      case 'hold':
        await wait(part, context)
        break
      case 'raw':
        await write(part.text)
        break
      case 'disconnect':
        // Flushes earlier writes: the callback runs once the comment is sent.
        await new Promise<void>((resolve) => response.write(':\n\n', () => resolve()))
        response.destroy()
        return
    }
  }
  if (reply.finish !== null) await write(delta({}, reply.finish ?? (calls > 0 ? 'tool_calls' : 'stop')))
  if (reply.usage !== null) {
    const prompt = reply.usage?.promptTokens ?? Math.ceil(context.promptCharacters / 4)
    const completion = reply.usage?.completionTokens ?? Math.ceil(characters / 4) + 20 * calls
    await write(
      chunk({
        choices: [],
        usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
      }),
    )
  }
  await write('data: [DONE]\n\n')
  response.end()
}

async function wait(part: ReplyPart, context: ReplyContext): Promise<void> {
  if (part.kind === 'pause') await delay(part.ms, undefined, { signal: context.signal })
  if (part.kind === 'hold') await held(context.gate(part.gate), context.signal)
}

/** Groups consecutive calls, which are streamed interleaved. */
function groupCalls(parts: readonly ReplyPart[]): ReplyPart[][] {
  const groups: ReplyPart[][] = []
  for (const part of parts) {
    const last = groups.at(-1)
    if (part.kind === 'call' && last?.[0]?.kind === 'call') last.push(part)
    else groups.push([part])
  }
  return groups
}

/** Yields id and name of each call first, then chunks of the arguments in turn, as real servers do. */
function* callFragments(parts: readonly ReplyPart[], firstIndex: number): Generator<unknown[]> {
  const calls = parts
    .filter((part) => part.kind === 'call')
    .map((part, position) => ({
      index: firstIndex + position,
      id: part.id ?? `call_${newCallId()}`,
      name: part.name,
      rest: typeof part.arguments === 'string' ? part.arguments : JSON.stringify(part.arguments),
    }))
  for (const { index, id, name } of calls) yield [{ index, id, type: 'function', function: { name, arguments: '' } }]
  while (calls.some((call) => call.rest)) {
    for (const call of calls) {
      if (!call.rest) continue
      const piece = call.rest.slice(0, 24)
      call.rest = call.rest.slice(24)
      yield [{ index: call.index, function: { arguments: piece } }]
    }
  }
}

/** Splits text into chunks of about the size of tokens, each with the space after it. */
function pieces(text: string): string[] {
  return text.match(/\s*\S{1,12}\s*?|\s+$/g) ?? []
}

async function writeBytes(
  response: ServerResponse,
  bytes: Buffer,
  size = bytes.length,
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    signal.throwIfAborted()
    const full = !response.write(bytes.subarray(at, at + size))
    if (full) await drained(response, signal)
    // Lets the socket send each write separately. Otherwise the operating system would join them.
    if (size < bytes.length) await new Promise((resolve) => setImmediate(resolve))
  }
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return held(new Promise((resolve) => response.once('drain', resolve)), signal)
}

function held(waited: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new DOMException('The client hung up.', 'AbortError'))
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    waited.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
