import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { isRunning, processOf, thisProcess } from '../../base/processIdentity.ts'
import type { Endpoint } from '../../../shared/settings/settings.ts'
import { preparedFile, realFolder, type RealWeights } from './realParts.ts'

export const realServerNames = ['llama-server', 'ollama', 'llama-cpp-python', 'litellm'] as const
export type RealServerName = (typeof realServerNames)[number]

/** A server on loopback that this process started. */
export interface RealServer {
  name: RealServerName
  kind: Endpoint['kind']
  baseUrl: string
  model: string
  /** The key that the server requires. */
  key?: string
  /** Returns what the server has written. */
  log(): Promise<string>
  /** Kills the server at once. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export interface RealServerOptions {
  /** Default: smollm2. */
  weights?: RealWeights
  /** Context size in tokens. */
  window?: number
  /** Default: a free one. */
  port?: number
  /** Further arguments of llama-server. */
  args?: readonly string[]
  /** The server behind LiteLLM. */
  behind?: { baseUrl: string; model: string }
}

const startMs = 300_000
const runningFolder = join(realFolder, 'running')
const processSchema = z.object({ pid: z.number(), start: z.string() })
const recordSchema = z.object({ server: processSchema, owner: processSchema, files: z.array(z.string()) })

/** Why a server cannot start, or undefined. */
export async function notPrepared(name: RealServerName, weights: RealWeights = 'smollm2'): Promise<string | undefined> {
  for (const part of [name, weights] as const)
    if ((await preparedFile(part)) === undefined) return `${part} is not prepared (npm run real)`
  return undefined
}

/**
 * Starts a prepared server on a free port of 127.0.0.1, and waits until it answers.
 * @throws Error with its last messages
 */
export async function startRealServer(name: RealServerName, options: RealServerOptions = {}): Promise<RealServer> {
  const weights = options.weights ?? 'smollm2'
  const [program, model] = await Promise.all([preparedFile(name), preparedFile(weights)])
  if (program === undefined || model === undefined) throw new Error(`${name} or ${weights} is not prepared.`)
  const port = options.port ?? (await freePort())
  const start = await starts[name]({ ...options, weights, window: options.window ?? 8192, port, program, model })
  const logFile = join(runningFolder, `${name}-${port}.log`)
  const files = [logFile, configFile(port)]
  const child = await spawned(files, start)
  const baseUrl = `http://${host}:${port}`
  const stop = async (signal: NodeJS.Signals) => {
    await end(child, signal)
    for (const file of [recordFile(child), ...files]) rmSync(file, { force: true })
  }
  const log = () => readFile(logFile, 'utf8').catch(() => '')
  for (const until = Date.now() + startMs; ; await delay(100)) {
    if ((await fetch(`${baseUrl}${start.ready}`).catch(() => undefined))?.ok) break
    if (Date.now() < until && child.exitCode === null && child.signalCode === null) continue
    const lines = (await log()).trim().split('\n')
    await stop('SIGKILL')
    throw new Error(`${name} did not start: ${lines.slice(-5).join('\n')}`)
  }
  await start.afterwards?.(baseUrl)
  return {
    name,
    kind: name === 'ollama' ? 'ollama' : 'openai',
    baseUrl,
    model: start.model,
    ...(start.key !== undefined && { key: start.key }),
    log,
    kill: () => stop('SIGKILL'),
    stop: () => stop('SIGTERM'),
  }
}

interface Start {
  command: string
  args: readonly string[]
  env?: Record<string, string>
  /** Path that answers once the server is ready. */
  ready: string
  model: string
  key?: string
  afterwards?(baseUrl: string): Promise<void>
}

interface StartOptions extends Omit<RealServerOptions, 'weights'> {
  weights: string
  window: number
  port: number
  program: string
  /** Path of the weights. */
  model: string
}

const litellmKey = 'sk-tizona-real'
const host = '127.0.0.1'

const flags = (values: Readonly<Record<string, string | number>>): string[] => Object.entries(values).flat().map(String)

const starts: Record<RealServerName, (options: StartOptions) => Start | Promise<Start>> = {
  'llama-server': ({ program, model, window, port, args = [], weights }) => ({
    command: program,
    args: [
      '--jinja',
      '--slots',
      ...flags({ '-m': model, '--alias': weights, '-c': window, '-np': 1, '-t': 1, '--host': host, '--port': port }),
      ...args,
    ],
    ready: '/health',
    model: weights,
  }),
  'llama-cpp-python': ({ program, model, window, port }) => ({
    command: program,
    args: flags({
      '-m': 'llama_cpp.server',
      '--model': model,
      '--host': host,
      '--port': port,
      '--n_ctx': window,
      '--n_threads': 1,
    }),
    ready: '/v1/models',
    model,
  }),
  ollama({ program, model, window, port, weights }) {
    const home = join(realFolder, 'ollama')
    const env = {
      OLLAMA_HOST: `${host}:${port}`,
      OLLAMA_MODELS: join(home, 'models'),
      OLLAMA_CONTEXT_LENGTH: String(window),
      // As llama-server chooses. Without, long prompts take several times as long.
      OLLAMA_FLASH_ATTENTION: '1',
      HOME: home,
    }
    return {
      command: program,
      args: ['serve'],
      env,
      ready: '/api/version',
      model: `${weights}:latest`,
      async afterwards() {
        // `smollm2` as it is, and with a template that has tools.
        for (const [name, template] of Object.entries({ [weights]: '', [`${weights}-tools`]: toolsTemplate })) {
          const file = join(home, `Modelfile-${name}`)
          const lines = template === '' ? '' : `TEMPLATE """${template}"""\n`
          // More threads than idle cores make it many times slower.
          await writeFile(file, `FROM ${model}\nPARAMETER num_thread 1\n${lines}`)
          const created = spawn(program, ['create', name, '-f', file], { env: { ...process.env, ...env } })
          const [code] = (await once(created, 'exit')) as [number | null]
          if (code !== 0) throw new Error(`ollama create ${name} failed (exit code ${code}).`)
        }
      },
    }
  },
  async litellm({ program, port, behind }) {
    if (!behind) throw new Error('LiteLLM needs a server behind it.')
    const config = configFile(port)
    await mkdir(runningFolder, { recursive: true })
    const params = { model: `openai/${behind.model}`, api_base: `${behind.baseUrl}/v1`, api_key: 'none' }
    // JSON is YAML.
    await writeFile(config, JSON.stringify({ model_list: [{ model_name: behind.model, litellm_params: params }] }))
    return {
      command: program,
      args: flags({ '--config': config, '--host': host, '--port': port }),
      env: { LITELLM_MASTER_KEY: litellmKey, LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False' },
      ready: '/health/liveliness',
      model: behind.model,
      key: litellmKey,
    }
  },
}

/** ChatML with the tools as Qwen 2.5 has them, in Ollama's template language. */
const toolsTemplate = `{{- if or .System .Tools }}<|im_start|>system
{{ .System }}
{{- if .Tools }}
You may call one or more functions. They are within <tools></tools> tags:
<tools>
{{- range .Tools }}
{"type": "function", "function": {{ .Function }}}
{{- end }}
</tools>
For each call, return a JSON object within <tool_call></tool_call> tags:
<tool_call>
{"name": <name>, "arguments": <arguments>}
</tool_call>
{{- end }}<|im_end|>
{{ end }}
{{- range $i, $_ := .Messages }}
{{- $last := eq (len (slice $.Messages $i)) 1 -}}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ if .Content }}{{ .Content }}{{- else if .ToolCalls }}<tool_call>
{{ range .ToolCalls }}{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
{{ end }}</tool_call>{{ end }}{{ if not $last }}<|im_end|>
{{ end }}
{{- else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- if and (ne .Role "assistant") $last }}<|im_start|>assistant
{{ end }}
{{- end }}`

/**
 * Starts a process in a group of its own, and records it for `endLeftovers`.
 * @param files what the server leaves: its log, and others
 */
async function spawned(files: readonly string[], { command, args, env = {} }: Start): Promise<ChildProcess> {
  await mkdir(runningFolder, { recursive: true })
  const log = openSync(files[0] ?? '', 'w')
  const child = spawn(command, [...args], {
    cwd: realFolder,
    // A proxy must not get what is meant for this machine.
    env: { ...process.env, NO_PROXY: host, ...env },
    detached: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  await once(child, 'spawn')
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} did not start.`)
  const record: z.infer<typeof recordSchema> = { server: processOf(pid), owner: thisProcess(), files: [...files] }
  await writeFile(recordFile(child), JSON.stringify(record))
  return child
}

/** The configuration of a LiteLLM. */
const configFile = (port: number): string => join(runningFolder, `litellm-${port}.yaml`)
const recordFile = (child: ChildProcess): string => join(runningFolder, `${child.pid}.json`)

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  killGroup(child.pid, signal)
  // Ollama waits for its runners.
  const late = setTimeout(() => child.pid !== undefined && killGroup(child.pid, 'SIGKILL'), 10_000)
  await ended
  clearTimeout(late)
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended.
  }
}

/** Ends the servers whose owner was killed before it could. @returns their number */
export function endLeftovers(): number {
  let ended = 0
  for (const name of listed(runningFolder)) {
    const file = join(runningFolder, name)
    const { success, data } = recordSchema.safeParse(parsed(file))
    if (success && isRunning(data.owner)) continue
    if (success && isRunning(data.server)) {
      killGroup(data.server.pid, 'SIGKILL')
      ended += 1
    }
    for (const each of [file, ...(success ? data.files : [])]) rmSync(each, { force: true })
  }
  return ended
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+\.json$/.test(name))
  } catch {
    // Nothing was started yet.
    return []
  }
}

function parsed(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    // Its writer was killed.
    return undefined
  }
}

/** Returns a port on which nothing listens. */
async function freePort(): Promise<number> {
  const listener = createServer()
  listener.listen(0, host)
  await once(listener, 'listening')
  // The address of a server that listens on a port is an object.
  const { port } = listener.address() as AddressInfo
  listener.close()
  await once(listener, 'close')
  return port
}
