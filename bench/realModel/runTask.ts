import { mkdtempSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { forkNode, type ChildProcess, type ForkProcess } from '../../src/main/base/childProcess.ts'
import { createCore } from '../../src/main/core.ts'
import { runTurn } from '../../src/main/runTurn.ts'
import { inProcessIndex } from '../../src/main/testing/inProcessIndex.ts'
import type { ConversationItem } from '../../src/shared/conversation.ts'
import type { ToolsetName } from '../../src/shared/risk.ts'
import type { RealTask } from './tasks.ts'

export type Way = 'native' | 'text' | 'guided'

export interface RealServer {
  kind: 'openai' | 'ollama' | 'gguf'
  baseUrl: string
  model: string
}

export interface TaskRun {
  solved: boolean
  /** Calls and answers, for reading. */
  steps: string[]
  seconds: number
}

/** The process of the model file. Like a server, it keeps its model and prompts from task to task. */
let modelProcess: ChildProcess | undefined
let receive: (message: unknown) => void = () => undefined

const forkOnce: ForkProcess = (module, options, events) => {
  if (parse(module).name !== 'modelFileProcess') return inProcessIndex(module, options, events)
  receive = events.onMessage
  // The user data of a task are deleted with it.
  const stateFile = join(mkdtempSync(join(tmpdir(), 'tizona-real-state-')), 'prompt.bin')
  const given: unknown = JSON.parse(options.args[0] ?? '')
  modelProcess ??= forkNode(
    module,
    { ...options, args: [JSON.stringify(Object.assign({}, given, { stateFile }))] },
    { onExit: events.onExit, onMessage: (message) => receive(message) },
  )
  return { ...modelProcess, kill: () => undefined }
}

const endpointId = 'real'
/** Maximum seconds for a task. */
const taskSeconds = 300

/** Runs one task in a folder of its own, through the product's core. */
export async function runTask(
  task: RealTask,
  server: RealServer,
  { way, toolset, temperature }: { way: Way; toolset: ToolsetName; temperature: number },
): Promise<TaskRun> {
  const [root, userData] = await Promise.all([
    mkdtemp(join(tmpdir(), 'tizona-real-')),
    mkdtemp(join(tmpdir(), 'tizona-real-user-')),
  ])
  for (const [path, text] of Object.entries(task.files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const choice = { endpointId, model: server.model }
  const core = await createCore({
    platform: {
      host: 'headless',
      fork: forkOnce,
      version: 'bench',
      userData,
      resources: join(import.meta.dirname, '..', '..', 'resources'),
    },
    settings: {
      endpoints: [
        {
          id: endpointId,
          name: 'Real server',
          kind: server.kind,
          baseUrl: server.baseUrl,
          hasKey: false,
          models: { [server.model]: { calls: way } },
        },
      ],
      model: choice,
      mode: 'yolo',
      toolset,
      maxTurns: 12,
      temperature,
    },
    trustWorkspace: true,
  })
  const started = performance.now()
  try {
    await core.openWorkspace(root)
    const { signal } = new AbortController()
    const { info } = await core.handlers['conversations.create']({}, signal)
    await core.handlers['conversations.update']({ id: info.id, model: choice, mode: 'yolo', toolset }, signal)
    await runTurn(core, { id: info.id, text: task.message, interrupted: AbortSignal.timeout(taskSeconds * 1000) })
    const { items } = await core.handlers['conversations.open']({ id: info.id }, signal)
    return {
      solved: await isSolved(task, root, items),
      steps: items.flatMap(described),
      seconds: (performance.now() - started) / 1000,
    }
  } finally {
    await core.dispose()
    await Promise.all([root, userData].map((folder) => rm(folder, { recursive: true, force: true })))
  }
}

/** Judges a task by its effect: the files it must leave, and the answer. Other files must be as before. */
async function isSolved(task: RealTask, root: string, items: readonly ConversationItem[]): Promise<boolean> {
  const answer = items.findLast((item) => item.kind === 'assistant')
  if (task.answer && (answer?.kind !== 'assistant' || !task.answer.test(answer.text))) return false
  for (const [path, text] of Object.entries({ ...task.files, ...task.after })) {
    const found = await readFile(join(root, path), 'utf8').catch(() => null)
    if (found?.trimEnd() !== text?.trimEnd()) return false
  }
  return true
}

function described(item: ConversationItem): string[] {
  switch (item.kind) {
    case 'assistant':
      return item.text === '' ? [] : [`answer ${item.text.slice(0, 120)}`]
    case 'tool':
      return [
        `${item.name} ${item.arguments.slice(0, 160)}${item.result?.ok ? '' : ` failed: ${item.result?.error?.code}`}`,
      ]
    case 'notice':
      return [`notice ${item.text.slice(0, 160)}`]
    default:
      return []
  }
}
