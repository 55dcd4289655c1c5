import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright'
import { openBrowser } from '../e2e/support/browser.ts'
import { end, printedAddress } from '../e2e/support/shell.ts'
import { trustFolder } from '../e2e/support/trust.ts'
import { forkNode, type ForkProcess } from '../src/main/base/childProcess.ts'
import { createModelFileConnection } from '../src/main/model/file/modelFileConnection.ts'
import { preparePart } from '../src/main/testing/real/realParts.ts'
import { startRecordingProxy, type RecordingProxy } from '../src/main/testing/real/recordingProxy.ts'
import { startBrowserHost } from './browserHost.ts'
import { freePort } from './llamaServer.ts'
import type { Row } from './row.ts'

/** Path of llama-server, for a comparison. */
const serverVariable = 'TIZONA_LLAMA_SERVER'
const tokens = 50
const rounds = 3
const windowRounds = 5
/** Maximum time per token in the window relative to llama-server: 0.9 of its speed. */
const maxTime = 1.11
const text = Array.from({ length: 60 }, (_, at) => `The item number ${(at * 37) % 101} costs ${(at * 13) % 97} coins.`)
const prompt = `${text.join(' ')} Tell a long story.`

/**
 * Compares the speed of answers from a model file with llama-server, both with one thread and the same prompt, in
 * alternating rounds: by processor time, which depends least on what else the machine does, and by wall time in a window
 * that shows the answer. Linux only.
 */
export async function measure(): Promise<Row[]> {
  const model = await preparePart('smollm2')
  const program = process.env[serverVariable]
  if ('missing' in model || program === undefined || process.platform !== 'linux') {
    console.log(`not run: ${'missing' in model ? model.missing : `${serverVariable} names no llama-server on Linux`}`)
    return []
  }
  const server = await startServer(program, model.file)
  try {
    return [await byProcessorTime(model.file, server), ...(await inTheWindow(model.file, server))]
  } finally {
    server.process.kill()
  }
}

async function byProcessorTime(file: string, server: Server): Promise<Row> {
  const [fromFile, fromServer] = [await openFile(file), await askServer(server)]
  const sums = { file: 0, server: 0 }
  try {
    for (let round = 0; round < rounds; round++) {
      sums.file += await fromFile.answer()
      sums.server += await fromServer.answer()
    }
  } finally {
    fromFile.close()
  }
  const each = (sum: number) => (sum / rounds / tokens).toFixed(1)
  return {
    question: 'model file: speed of an answer against llama-server, by processor time',
    value: sums.server / sums.file,
    unit: '×',
    how: `${each(sums.file)} ms a token with Tizona's part, llama-server ${each(sums.server)} ms; ${rounds} alternating rounds of ${tokens} tokens after 743`,
  }
}

/**
 * The model file answers in the window of a browser host. llama-server gets the request that the same window sends to it,
 * once without any client's work, and once from the window.
 */
async function inTheWindow(file: string, server: Server): Promise<Row[]> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-bench-model-file-')))
  const proxy = await startRecordingProxy(server.url)
  const browser = await openBrowser()
  const windows: OpenWindow[] = []
  try {
    const own = await openWindow(browser, join(home, 'file'), { kind: 'gguf', baseUrl: file })
    windows.push(own)
    const other = await openWindow(browser, join(home, 'server'), { kind: 'openai', baseUrl: proxy.url })
    windows.push(other)
    await own.speed()
    await other.speed()
    const body = requestOf(proxy)
    const rows: Row[] = []
    for (const load of ['idle', 'beside one busy process'] as const) {
      const spinning = load === 'idle' ? undefined : spawn(process.execPath, ['-e', 'for (;;);'])
      const times = { file: 0, server: 0, serverInWindow: 0 }
      for (let round = 0; round < windowRounds; round++) {
        times.file += await own.speed()
        times.server += await streamTime(server.url, body)
        times.serverInWindow += await other.speed()
      }
      spinning?.kill()
      const rate = (sum: number) => (windowRounds / sum).toFixed(1)
      const how = `wall time: ${rate(times.file)} tokens/s, llama-server ${rate(times.server)} alone and ${rate(times.serverInWindow)} in the window; ${windowRounds} alternating rounds of ${windowTokens} tokens, one thread each`
      const question = `model file: time of a token in the window against llama-server`
      rows.push(
        {
          question: `${question} in the same window, ${load}`,
          value: times.file / times.serverInWindow,
          unit: '×',
          goal: maxTime,
          how,
        },
        {
          question: `${question} without a window, ${load}`,
          value: times.file / times.server,
          unit: '×',
          goal: maxTime,
          how,
        },
      )
    }
    return rows
  } finally {
    await browser.close()
    for (const { host } of windows) await end(host)
    await proxy.close()
    await rm(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

const windowTokens = 100

interface OpenWindow {
  host: ChildProcess
  /** Sends the message in a new conversation. @returns seconds per token, from the first shown one to the last */
  speed(): Promise<number>
}

async function openWindow(
  browser: Browser,
  home: string,
  endpoint: { kind: 'gguf' | 'openai'; baseUrl: string },
): Promise<OpenWindow> {
  const [folder, userData] = [join(home, 'folder'), join(home, 'user')]
  await mkdir(folder, { recursive: true })
  await trustFolder(userData, folder)
  const name = 'SmolLM2-135M-Instruct.Q4_1'
  const models = { [name]: { calls: 'text', maxTokens: windowTokens, temperature: 0 } }
  await writeFile(
    join(userData, 'settings.json'),
    JSON.stringify({
      endpoints: [{ id: 'bench', name, ...endpoint, contextWindow: 4096, models }],
      model: { endpointId: 'bench', model: name },
    }),
  )
  const host = startBrowserHost(folder, userData)
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage()
  await page.goto(await printedAddress(host))
  return { host, speed: () => shownSpeed(page) }
}

async function shownSpeed(page: Page): Promise<number> {
  // The first conversation is new already.
  await page.getByRole('button', { name: 'New conversation' }).click()
  await page.getByTestId('usage').waitFor({ state: 'detached' })
  await page.evaluate(watchAnswer)
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  await field.fill('Tell me a long story about an old lighthouse and the people who live near it.')
  await field.press('Enter')
  const usage = page.getByTestId('usage')
  await usage.waitFor({ timeout: 600_000 })
  const written = Number(/([\d,]+) written/.exec((await usage.getAttribute('title')) ?? '')?.[1])
  const shown = await page.evaluate(shownFor)
  if (written !== windowTokens) throw new Error(`The model wrote ${written} of ${windowTokens} tokens.`)
  return shown / 1000 / (written - 1)
}

// Run in the page: times at which the answer's text was first and last shown.

function watchAnswer(): void {
  const times: number[] = []
  let length = 0
  Object.assign(window, { answerTimes: times })
  new MutationObserver(() => {
    const shown = document.querySelector('article[aria-label="Answer"] .markdown')?.textContent.length ?? 0
    if (shown > length) times.push(performance.now())
    length = shown
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}

function shownFor(): number {
  // Set by `watchAnswer`.
  const times = (window as unknown as { answerTimes: number[] }).answerTimes
  return (times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN)
}

/** Returns the request that the window sent to llama-server. */
function requestOf(proxy: RecordingProxy): Record<string, unknown> {
  const body = proxy.chats().find((chat) => chat.body['max_tokens'] === windowTokens)?.body
  if (body === undefined) throw new Error('The window sent no request for an answer.')
  return body
}

/** Sends a request to llama-server and discards the answer. @returns seconds per token, from the first to the last */
async function streamTime(url: string, body: Record<string, unknown>): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body: JSON.stringify(body) })
  if (!response.body) throw new Error('llama-server sent no answer.')
  const times: number[] = []
  for await (const part of response.body.pipeThrough(new TextDecoderStream()))
    if (/"content":"[^"]/.test(part)) times.push(performance.now())
  return ((times.at(-1) ?? Number.NaN) - (times[0] ?? Number.NaN)) / 1000 / (windowTokens - 1)
}

interface Answering {
  /** Answers the prompt, which was processed before. @returns processor time in milliseconds */
  answer(): Promise<number>
  close(): void
}

async function openFile(file: string): Promise<Answering> {
  let pid = 0
  const fork: ForkProcess = (...given) => {
    const child = forkNode(...given)
    pid = child.pid ?? 0
    return child
  }
  const connection = createModelFileConnection({ file, contextSize: 4096, gpu: false }, { fork })
  const ask = async (maxTokens: number): Promise<number> => {
    const [child, own] = [pid === 0 ? 0 : processorTime(pid), process.cpuUsage()]
    const chat = {
      isAside: false,
      grammars: [],
      answerGrammars: [],
      againstRepetition: false,
      temperature: 0,
      maxTokens,
    }
    const events = connection.chat(
      { ...chat, messages: [{ role: 'user', content: prompt }] },
      new AbortController().signal,
    )
    for await (const _event of events);
    const { user, system } = process.cpuUsage(own)
    return processorTime(pid) - child + (user + system) / 1000
  }
  await ask(1)
  return { answer: () => ask(tokens), close: () => connection.close() }
}

interface Server {
  process: ChildProcess
  url: string
}

async function startServer(program: string, file: string): Promise<Server> {
  const port = await freePort()
  const address = ['--host', '127.0.0.1', '--port', String(port)]
  const server = spawn(program, ['-m', file, '--jinja', '-c', '4096', '-np', '1', '-t', '1', ...address], {
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) await delay(300)
  return { process: server, url }
}

async function askServer({ process: server, url }: Server): Promise<Pick<Answering, 'answer'>> {
  const ask = async (maxTokens: number): Promise<number> => {
    const before = processorTime(server.pid ?? 0)
    const messages = [{ role: 'user', content: prompt }]
    const body = JSON.stringify({ messages, max_tokens: maxTokens, temperature: 0, stream: true, ignore_eos: true })
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })).text()
    return processorTime(server.pid ?? 0) - before
  }
  await ask(1)
  return { answer: () => ask(tokens) }
}

/** Returns a process's processor time so far, in milliseconds. */
function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the name in parentheses: state, and user and system time as the 12th and 13th field, in 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
