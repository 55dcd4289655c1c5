import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createCore } from '../../src/main/core.ts'
import { runTurn } from '../../src/main/core/runTurn.ts'
import { inProcessIndex } from '../../src/main/testing/inProcessIndex.ts'
import type { ConversationItem } from '../../src/shared/agent/conversation.ts'
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

export interface RealRunOptions {
  way: Way
  temperature: number
  /** Seed of the sampler. Undefined: the server's default. */
  seed: number | undefined
  /** Time limit of a task in seconds. */
  taskSeconds: number
}

const endpointId = 'real'
const toolset = 'blade'

/** Starts the product's core, which keeps what it learns about the model between tasks. */
export async function startRealModel(
  server: RealServer,
  { way, temperature, seed, taskSeconds }: RealRunOptions,
): Promise<{ run(task: RealTask): Promise<TaskRun>; dispose(): Promise<void> }> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-real-user-'))
  const choice = { endpointId, model: server.model }
  const core = await createCore({
    platform: {
      host: 'headless',
      fork: inProcessIndex,
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
          models: {
            [server.model]: { calls: way, temperature, ...(seed !== undefined && { extraBody: { seed } }) },
          },
        },
      ],
      model: choice,
      mode: 'yolo',
      toolset,
      maxTurns: 12,
    },
    trustWorkspace: true,
  })

  /** Runs one task in a folder of its own. */
  async function run(task: RealTask): Promise<TaskRun> {
    const root = await mkdtemp(join(tmpdir(), 'tizona-real-'))
    for (const [path, text] of Object.entries(task.files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
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
      await rm(root, { recursive: true, force: true })
    }
  }

  return {
    run,
    async dispose() {
      await core.dispose()
      await rm(userData, { recursive: true, force: true })
    },
  }
}

/** Judges a task by its effect: the files it must leave, and the answer. Other files must be unchanged. */
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
