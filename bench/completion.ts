import { setTimeout as delay } from 'node:timers/promises'
import { completionSchema } from '../src/shared/editor/inlineCompletion.ts'
import { settingsSchema } from '../src/shared/settings/settings.ts'
import { createCompletionFigures, noFigures } from '../src/main/completion/completionFigures.ts'
import { createCompletions } from '../src/main/completion/completions.ts'
import { createFimClient, type FimClient } from '../src/main/model/fim/fimClient.ts'
import { startScriptedEndpoint } from '../src/main/model/scripted/scriptedEndpoint.ts'
import type { ReplyPart, ScriptedCompletionRequest } from '../src/main/model/scripted/scenario.ts'
import { contextAt } from '../src/renderer/completion/completionContext.ts'
import { writtenBlocks, type WrittenBlock } from './completion/editHistory.ts'
import { percentile } from './typing/keys.ts'
import type { Row } from './row.ts'

/** Characters to type. */
const characters = 600
/** Milliseconds between keys: inside a word, and after a word, a line or punctuation. */
const pause = { inside: 90, between: 260 }
/** Milliseconds until the first token of the scripted model. */
const latency = 150
/** Numbers of characters that the scripted model continues correctly before it errs, in turn. */
const correct = [0, 12, 4, 60, 25, 8, 40, 2]

/** Replays typing from this repository's history against a scripted server. */
export async function measure(): Promise<Row[]> {
  const blocks = await writtenBlocks(characters)
  const replay = await replayTyping(blocks)
  const { overheads, figures, cancelled, stopped } = replay
  const typed = blocks.reduce((sum, { text }) => sum + text.length, 0)
  const how = `${typed} keys of ${blocks.length} blocks from git log, ${pause.inside} to ${pause.between} ms apart; the scripted server answers after ${latency} ms and is right for ${Math.min(...correct)} to ${Math.max(...correct)} characters; \`npm run bench -- completion\``
  return [
    {
      question: "inline completion: own time per key, without the model's (p95)",
      value: percentile(overheads, 0.95),
      unit: 'ms',
      goal: 10,
      how: `context, validation, cache and HTTP up to the arrival at the server, and the way back; median ${percentile(overheads, 0.5).toFixed(2)} ms; ${how}`,
    },
    {
      question: 'inline completion: cancelled requests that the server noticed',
      value: (100 * stopped) / Math.max(1, cancelled),
      unit: '%',
      goal: 100,
      how: `${stopped} of ${cancelled} requests that a key cancelled while the model was working; ${how}`,
    },
    {
      question: 'inline completion: keys answered from the cache',
      value: (100 * figures.fromCache) / figures.keys,
      unit: '%',
      goal: 60,
      how: `${figures.fromCache} of ${figures.keys} keys, ${figures.requests} requests; nothing is accepted, all is typed; ${how}`,
    },
  ]
}

interface Sent {
  /** When the request was sent, after the wait for a pause. */
  started: number
  /** When it reached the server. */
  arrived?: number
  /** How the request ended at the server. */
  ended?: Promise<'answered' | 'broken'> | undefined
  /** When a keystroke cancelled it. */
  aborted?: number
  /** When its answer was complete. */
  answered?: number
}

async function replayTyping(blocks: readonly WrittenBlock[]) {
  let block: WrittenBlock | undefined
  let turn = 0
  const sent = new Map<string, Sent>()
  const endpoint = await startScriptedEndpoint({
    name: 'replay',
    turns: [],
    completion: {
      server: 'llamacpp',
      respond(request): ReplyPart[] {
        const record = sent.get(request.before)
        if (record) {
          record.arrived = performance.now()
          record.ended = endpoint.requests.find(({ body }) => body === request.body)?.ended
        }
        return [
          { kind: 'pause', ms: latency },
          { kind: 'text', text: continuation(block, request, correct[turn++ % correct.length] ?? 0) },
        ]
      },
    },
  })
  const client = createFimClient({
    access: () =>
      Promise.resolve({
        root: endpoint.url,
        connection: {},
        target: { name: 'Scripted', kind: 'openai', baseUrl: endpoint.url },
      }),
  })
  let stored = noFigures
  const file = {
    get value() {
      return stored
    },
    update: (change: (value: typeof noFigures) => typeof noFigures) => Promise.resolve((stored = change(stored))),
  }
  const figures = createCompletionFigures(file, fail)
  const completions = createCompletions({
    settings: () => settings,
    client: recording(client, sent),
    isAllowed: () => Promise.resolve(true),
    isReadable: () => true,
    definitions: () => Promise.resolve(''),
    counter: figures,
    onFailed: fail,
    onRecovered: () => undefined,
  })
  const overheads: number[] = []
  try {
    await client.detect(settings.model, new AbortController().signal)
    for (const next of blocks) {
      block = next
      await typeBlock(next, async (lines, line, column) => {
        const start = performance.now()
        const { before, after } = contextAt(
          { count: lines.length, line: (number) => lines[number - 1] ?? '' },
          line,
          column,
        )
        // The window and the main process exchange JSON, and main validates it.
        const params = completionSchema.parse(
          JSON.parse(JSON.stringify({ id: `${start}`, path: next.path, line, before, after })),
        )
        const validated = performance.now()
        const key = withoutIndent(before)
        const answer = await completions.suggest(params, new AbortController().signal)
        const end = performance.now()
        const record = sent.get(key)
        if (answer?.cached) overheads.push(end - start)
        else if (record?.arrived !== undefined) {
          const back = record.answered === undefined ? 0 : end - record.answered
          overheads.push(validated - start + record.arrived - record.started + back)
        }
      })
      await completions.stop()
    }
    // While the model was working. Text that it had already written cannot be cancelled.
    const cancelled = [...sent.values()].filter(
      ({ aborted, arrived }) => aborted !== undefined && arrived !== undefined && aborted < arrived + latency,
    )
    const ends = await Promise.all(cancelled.map(async ({ ended }) => ended))
    return {
      overheads,
      figures: figures.get(),
      cancelled: cancelled.length,
      stopped: ends.filter((end) => end === 'broken').length,
    }
  } finally {
    completions.reset()
    client.close()
    await endpoint.close()
  }
}

const model = { endpointId: 'e', model: 'scripted' }
const settings = { ...settingsSchema.parse({ completion: { enabled: true, model } }).completion, model }

function fail(error: unknown): void {
  throw error
}

/** Records what happens to each request, by the text before its cursor. */
function recording(client: FimClient, sent: Map<string, Sent>): Pick<FimClient, 'complete'> {
  return {
    async complete(choice, request, signal, enough) {
      const record: Sent = { started: performance.now() }
      signal.addEventListener('abort', () => (record.aborted = performance.now()), { once: true })
      sent.set(withoutIndent(request.file.before), record)
      const text = await client.complete(choice, request, signal, enough)
      record.answered = performance.now()
      return text
    },
  }
}

/** What the server receives: the request omits indentation before the cursor. */
const withoutIndent = (before: string): string => before.replace(/[ \t]+$/, (blank) => (blankLine(before) ? '' : blank))
const blankLine = (before: string): boolean => before.slice(before.lastIndexOf('\n') + 1).trim() === ''

/** Types a block at its position, key by key, without waiting for suggestions. */
async function typeBlock(
  { before, after, text }: WrittenBlock,
  onKey: (lines: string[], line: number, column: number) => Promise<void>,
): Promise<void> {
  const pending: Promise<void>[] = []
  for (let length = 1; length <= text.length; length += 1) {
    const typed = text.slice(0, length).split('\n')
    pending.push(onKey([...before, ...typed, ...after], before.length + typed.length, (typed.at(-1) ?? '').length + 1))
    const boundary = /[\s.,;(){}=]/.test(text[length - 1] ?? '')
    await delay(boundary ? pause.between : pause.inside)
  }
  await Promise.all(pending)
}

/** The text that follows in the history, correct for some characters and wrong after them. */
function continuation(block: WrittenBlock | undefined, { before }: ScriptedCompletionRequest, right: number): string {
  if (!block) return ''
  const start = block.before.slice(-40).join('\n')
  const typed = before.slice(before.lastIndexOf(start) + start.length + 1)
  const rest = `${block.text}\n`.slice(typed.length)
  return rest.length <= right ? rest.trimEnd() : `${rest.slice(0, right)}wrong()`
}
