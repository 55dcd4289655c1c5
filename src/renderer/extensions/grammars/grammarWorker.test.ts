import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterEach, expect, it, vi } from 'vitest'
import type { FromWorker, ToWorker, WorkerGrammar } from './grammarMessages.ts'

afterEach(() => vi.unstubAllGlobals())

const grammar = (scopeName: string): WorkerGrammar => ({
  scopeName,
  injectTo: [],
  languageId: 1,
  embeddedLanguages: {},
  tokenTypes: {},
  balancedBracketSelectors: ['*'],
  unbalancedBracketSelectors: [],
})

const texts: Readonly<Record<string, unknown>> = {
  'source.invalid': { scopeName: 'source.invalid', patterns: [{ match: '(', name: 'a' }] },
  'source.good': { scopeName: 'source.good', patterns: [{ match: 'a', name: 'keyword' }] },
}

it('a grammar whose rules cannot be compiled is named, and the texts of others get their tokens', async () => {
  const wasm = readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm'))
  let send: (message: ToWorker) => void = () => undefined
  const messages: FromWorker[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  vi.stubGlobal('fetch', async () => new Response(new Uint8Array(wasm)))
  vi.stubGlobal('addEventListener', (_type: string, listener: (event: { data: ToWorker }) => void) => {
    send = (data) => listener({ data })
  })
  vi.stubGlobal('postMessage', (message: FromWorker) => {
    messages.push(message)
    if (message.kind === 'needsGrammar')
      send({
        kind: 'grammarText',
        scopeName: message.scopeName,
        path: 'g.json',
        text: JSON.stringify(texts[message.scopeName]),
      })
    if (message.kind === 'tokens' && message.id === 2 && message.done) resolve()
  })
  await import('./grammarWorker.ts')
  send({ kind: 'start', wasmUrl: '', grammars: Object.keys(texts).map(grammar) })
  send({ kind: 'open', id: 1, version: 1, scopeName: 'source.invalid', text: 'a' })
  send({ kind: 'open', id: 2, version: 1, scopeName: 'source.good', text: 'a' })
  await promise
  expect(messages.filter(({ kind }) => kind === 'failed')).toMatchObject([{ scopeName: 'source.invalid' }])
})
