import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { forkNode, type ForkProcess } from '../src/main/base/childProcess.ts'
import { createModelFileConnection } from '../src/main/model/file/modelFileConnection.ts'
import { preparePart } from '../src/main/testing/real/realParts.ts'
import type { Row } from './row.ts'

/** Path of llama-server, for a comparison. */
const serverVariable = 'TIZONA_LLAMA_SERVER'
const tokens = 50
const rounds = 3
const text = Array.from({ length: 60 }, (_, at) => `The item number ${(at * 37) % 101} costs ${(at * 13) % 97} coins.`)
const prompt = `${text.join(' ')} Tell a long story.`

/**
 * Compares what a token of an answer costs from a model file with llama-server, both with one thread and the same
 * prompt, in alternating rounds. Processor time, because it depends least on what else the machine does. Linux only.
 */
export async function measure(): Promise<Row[]> {
  const model = await preparePart('smollm2')
  const program = process.env[serverVariable]
  if ('missing' in model || program === undefined || process.platform !== 'linux') {
    console.log(`not run: ${'missing' in model ? model.missing : `${serverVariable} names no llama-server on Linux`}`)
    return []
  }
  const [fromFile, fromServer] = [await openFile(model.file), await openServer(program, model.file)]
  const sums = { file: 0, server: 0 }
  try {
    for (let round = 0; round < rounds; round++) {
      sums.file += await fromFile.answer()
      sums.server += await fromServer.answer()
    }
  } finally {
    fromFile.close()
    fromServer.close()
  }
  const each = (sum: number) => (sum / rounds / tokens).toFixed(1)
  return [
    {
      question: 'model file: speed of an answer against llama-server, by processor time',
      value: sums.server / sums.file,
      unit: '×',
      how: `${each(sums.file)} ms a token with Tizona's part, llama-server ${each(sums.server)} ms; ${rounds} alternating rounds of ${tokens} tokens after 743`,
    },
  ]
}

interface Answering {
  /** Answers the prompt, which is read before. @returns processor time in milliseconds */
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

async function openServer(program: string, file: string): Promise<Answering> {
  const port = await freePort()
  const address = ['--host', '127.0.0.1', '--port', String(port)]
  const server = spawn(program, ['-m', file, '--jinja', '-c', '4096', '-np', '1', '-t', '1', ...address], {
    stdio: 'ignore',
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/health`).catch(() => undefined))?.ok) await delay(300)
  const ask = async (maxTokens: number): Promise<number> => {
    const before = processorTime(server.pid ?? 0)
    const messages = [{ role: 'user', content: prompt }]
    const body = JSON.stringify({ messages, max_tokens: maxTokens, temperature: 0, stream: true, ignore_eos: true })
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })).text()
    return processorTime(server.pid ?? 0) - before
  }
  await ask(1)
  return { answer: () => ask(tokens), close: () => void server.kill() }
}

function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(address !== null && typeof address === 'object' ? address.port : 0))
    })
  })
}

/** Returns the processor time of a process so far, in milliseconds. */
function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // After the name in parentheses: state, and user and system time as the 12th and 13th field, in 10 ms.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
