import wasmUrl from 'vscode-oniguruma/release/onig.wasm?url'
import type { ContributedGrammar } from '../../../shared/extensions/extensions.ts'
import { toFailure } from '../../../shared/errors.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { startWorker } from '../../platform/editor/monaco/monacoWorkers.ts'
import type { TextMateTheme } from '../../platform/editor/monaco/textMateTheme.ts'
import type { FromWorker, LineChange, ToWorker, WorkerGrammar } from './grammarMessages.ts'
import grammarWorkerUrl from './grammarWorker.ts?worker&url'

/** Milliseconds after which a slice of work counts as stuck. A slice ends after one line that takes 0.3 s. */
const stuckMs = 3000

/** Receives the tokens of a text. */
export interface TokenReceiver {
  /** @param done whether no line is left */
  receive(version: number, firstLine: number, tokens: readonly Uint32Array[], done: boolean): void
}

/** Texts in the worker that tokenizes them. */
export interface GrammarClient {
  setTheme(theme: TextMateTheme): void
  /** @returns the id of the text */
  open(scopeName: string, text: string, version: number, receiver: TokenReceiver): number
  change(id: number, version: number, changes: LineChange[]): void
  close(id: number): void
  /** Ends the worker. */
  dispose(): void
}

/**
 * Creates the client of the worker, which starts with the first text.
 * @param grammars as main lists them
 * @param forWorker the same, with languages as numbers
 * @param onUnusable called once for a grammar that cannot be used, or whose regular expressions do not end
 */
export function createGrammarClient(
  grammars: readonly ContributedGrammar[],
  forWorker: () => WorkerGrammar[],
  onUnusable: (scopeName: string, reason: string) => void,
): GrammarClient {
  const receivers = new Map<number, TokenReceiver>()
  let worker: Worker | null = null
  let theme: TextMateTheme | null = null
  let stuck: ReturnType<typeof setTimeout> | undefined
  let nextId = 1

  const send = (message: ToWorker) => worker?.postMessage(message)

  function stop(): void {
    clearTimeout(stuck)
    worker?.terminate()
    worker = null
    receivers.clear()
  }

  async function sendGrammar(scopeName: string): Promise<void> {
    const grammar = grammars.find((each) => each.scopeName === scopeName)
    const to = worker
    let text: string | null = null
    try {
      text = grammar ? await request('extensions.readText', { extension: grammar.extension, path: grammar.path }) : null
    } finally {
      if (to === worker) send({ kind: 'grammarText', scopeName, path: grammar?.path ?? '', text })
    }
  }

  function receive(message: FromWorker): void {
    switch (message.kind) {
      case 'needsGrammar':
        // Without its text, the worker reports that it failed.
        sendGrammar(message.scopeName).catch(() => undefined)
        break
      case 'failed':
        onUnusable(message.scopeName, message.message)
        break
      case 'working':
        clearTimeout(stuck)
        stuck = setTimeout(() => {
          stop()
          onUnusable(message.scopeName, `A line took more than ${stuckMs / 1000} seconds.`)
        }, stuckMs)
        break
      case 'rested':
        clearTimeout(stuck)
        break
      case 'tokens':
        receivers.get(message.id)?.receive(message.version, message.firstLine, message.tokens, message.done)
    }
  }

  function start(): void {
    if (worker) return
    const started = startWorker(grammarWorkerUrl, 'grammars')
    worker = started
    // Only grammarWorker.ts posts to it.
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (worker === started) receive(data)
    })
    started.addEventListener('error', (event) => {
      if (worker !== started) return
      stop()
      onUnusable('', toFailure(event.error ?? new Error('The worker could not be loaded.')).message)
    })
    send({ kind: 'start', wasmUrl: new URL(wasmUrl, location.href).href, grammars: forWorker() })
    if (theme) send({ kind: 'theme', theme })
  }

  return {
    setTheme(next) {
      theme = next
      send({ kind: 'theme', theme })
    },
    open(scopeName, text, version, receiver) {
      start()
      const id = nextId++
      receivers.set(id, receiver)
      send({ kind: 'open', id, version, scopeName, text })
      return id
    },
    change: (id, version, changes) => send({ kind: 'change', id, version, changes }),
    close(id) {
      if (receivers.delete(id)) send({ kind: 'close', id })
    },
    dispose: stop,
  }
}
