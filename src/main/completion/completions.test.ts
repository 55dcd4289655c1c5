import { describe, expect, test } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import type { CompletionParams } from '../../shared/editor/inlineCompletion.ts'
import type { FimRequest } from '../model/fim/fimClient.ts'
import { createCompletionFigures, noFigures } from './completionFigures.ts'
import { createCompletions, type CompletionDeps } from './completions.ts'

interface Sent {
  request: FimRequest
  signal: AbortSignal
}

function setup(
  answer: (request: FimRequest, signal: AbortSignal) => Promise<string>,
  change: Partial<CompletionDeps> = {},
) {
  const sent: Sent[] = []
  const failures: unknown[] = []
  let recovered = 0
  const settings = settingsSchema.parse({
    completion: { enabled: true, model: { endpointId: 'e', model: 'm' } },
  }).completion
  const figures = createCompletionFigures(
    { value: noFigures, update: () => Promise.resolve() },
    (error) => void failures.push(error),
  )
  const completions = createCompletions({
    settings: () => settings,
    client: {
      async complete(_choice, request, signal) {
        sent.push({ request, signal })
        return answer(request, signal)
      },
    },
    isAllowed: (path) => Promise.resolve(!path.endsWith('.env')),
    isReadable: (path) => !path.endsWith('.env'),
    definitions: () => Promise.resolve(''),
    counter: figures,
    onFailed: (error) => failures.push(error),
    onRecovered: () => (recovered += 1),
    ...change,
  })
  let id = 0
  const suggest = (before: string, over: Partial<CompletionParams> = {}) =>
    completions.suggest(
      { id: `k${id++}`, path: 'a.ts', line: 1, before, after: '\n', ...over },
      new AbortController().signal,
    )
  return { completions, suggest, sent, failures, figures, settings, recovered: () => recovered }
}

/** An answer that never comes, like that of a slow model. */
const never = (_request: FimRequest, signal: AbortSignal) =>
  new Promise<string>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new DOMException('x', 'AbortError')), { once: true }),
  )

describe('a suggestion', () => {
  test('is requested once, and then continued from the cache while the user types inside it', async () => {
    const { suggest, sent, figures } = setup(() => Promise.resolve('tion f() {}'))
    expect(await suggest('func')).toEqual({ text: 'tion f() {}', replaces: 0, cached: false })
    expect(await suggest('functi')).toEqual({ text: 'on f() {}', replaces: 0, cached: true })
    expect(sent).toHaveLength(1)
    expect(figures.get()).toMatchObject({ keys: 2, fromCache: 1, requests: 1, cancelled: 0 })
  })

  test('is cancelled by the next key, before or after it reached the server', async () => {
    const { suggest, sent, figures, completions } = setup(never)
    const first = suggest('a')
    await expect.poll(() => sent.length).toBe(1)
    const second = suggest('ab')
    expect(await first).toBeNull()
    expect(sent[0]?.signal.aborted).toBe(true)
    const third = suggest('abc')
    expect(await second).toBeNull()
    completions.cancel('k2')
    expect(await third).toBeNull()
    // The second and third key were followed by the next one too soon to reach the server.
    expect(figures.get()).toMatchObject({ keys: 3, requests: 1, cancelled: 1 })
  })

  test('is not cancelled by an older key whose file takes longer to check', async () => {
    const checks: ((allowed: boolean) => void)[] = []
    const { suggest, sent } = setup(() => Promise.resolve('x'), {
      isAllowed: () => new Promise((resolve) => checks.push(resolve)),
    })
    const older = suggest('a')
    const newer = suggest('ab')
    checks[1]?.(true)
    checks[0]?.(true)
    expect(await newer).toMatchObject({ text: 'x' })
    expect(await older).toBeNull()
    expect(sent.map(({ request }) => request.file.before)).toEqual(['ab'])
  })

  test('has its continuation ready when the user accepts it', async () => {
    const { suggest, sent } = setup(({ file }) => Promise.resolve(file.before.endsWith('one') ? '\ntwo' : 'ne'))
    expect(await suggest('o')).toMatchObject({ text: 'ne' })
    await expect.poll(() => sent.length).toBe(2)
    expect(await suggest('one')).toEqual({ text: '\ntwo', replaces: 0, cached: true })
  })

  test('is not requested while it is off, without a model, or in a secret file', async () => {
    const { suggest, sent, settings } = setup(() => Promise.resolve('x'))
    expect(await suggest('KEY=', { path: '.env' })).toBeNull()
    settings.enabled = false
    expect(await suggest('a')).toBeNull()
    settings.enabled = true
    settings.model = null
    expect(await suggest('a')).toBeNull()
    expect(sent).toHaveLength(0)
  })
})

describe('the context', () => {
  const chunk = 'const a = 1\nconst b = 2\nconst c = 3\n'

  test('has seen code in a stable order, then definitions, then problems at the cursor', async () => {
    const { suggest, sent, completions } = setup(() => Promise.resolve(''), {
      definitions: () => Promise.resolve('b.ts: function f()'),
      problemsNear: (_path, line) => [`line ${line}: ; expected`],
    })
    await completions.seen({ path: 'b.ts', text: chunk })
    await completions.seen({ path: 'c.ts', text: chunk.replaceAll('const', 'let') })
    await suggest('a')
    await suggest('ab')
    expect(sent.at(-1)?.request.chunks).toEqual([
      { path: 'b.ts', text: chunk },
      { path: 'c.ts', text: chunk.replaceAll('const', 'let') },
      { path: 'definitions', text: 'b.ts: function f()' },
      { path: 'problems', text: 'line 1: ; expected' },
    ])
  })

  test('never has text of a secret file, even if the file became secret later', async () => {
    let secret = false
    const { suggest, sent, completions } = setup(() => Promise.resolve(''), {
      isReadable: (path) => !(secret && path === 'b.ts'),
    })
    await completions.seen({ path: 'prod.env', text: chunk })
    await completions.seen({ path: 'b.ts', text: chunk })
    await suggest('a')
    expect(sent[0]?.request.chunks.map(({ path }) => path)).toEqual(['b.ts'])
    secret = true
    await suggest('b')
    expect(sent[1]?.request.chunks).toEqual([])
  })

  test('no key waits for definitions', async () => {
    const { suggest } = setup(() => Promise.resolve('x'), { definitions: () => new Promise(() => undefined) })
    expect(await suggest('a')).toMatchObject({ text: 'x' })
  })
})

describe('a failing server', () => {
  test('is reported once, retried with pauses, and reported again only after it worked', async () => {
    let works = false
    const { suggest, failures, recovered, completions, sent } = setup(() =>
      works ? Promise.resolve('x') : Promise.reject(new Error('down')),
    )
    expect(await suggest('a')).toBeNull()
    expect(await suggest('b')).toBeNull()
    expect(await suggest('c')).toBeNull()
    expect(failures).toHaveLength(1)
    // The third failure starts a pause, so that no further key reaches the server.
    const requests = sent.length
    expect(await suggest('d')).toBeNull()
    expect(sent).toHaveLength(requests)
    completions.reset()
    expect(recovered()).toBe(1)
    works = true
    expect(await suggest('e')).toMatchObject({ text: 'x' })
  })
})
