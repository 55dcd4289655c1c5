import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { RequestName, RequestParams, RequestResult } from '../../../shared/bridge/protocol.ts'
import { requests } from '../../../shared/bridge/protocol.ts'
import type { ReviewScope } from '../../../shared/review/review.ts'
import type { ToolResult } from '../../../shared/tools/tool.ts'
import { createCore, type Core } from '../../core.ts'
import { inProcessIndex } from '../../testing/inProcessIndex.ts'

const never = new AbortController().signal

/** A folder with a core whose tools a test calls, and whose changes it reviews. */
export interface ReviewedFolder {
  readonly root: string
  readonly userData: string
  readonly core: Core
  request<N extends RequestName>(name: N, params: RequestParams<N>): Promise<RequestResult<N>>
  /** Calls a tool as the agent. @param turn user message of the turn */
  call(name: string, args: Record<string, unknown>, turn?: string): Promise<ToolResult>
  /** Runs a command as the agent. */
  command(line: string, turn?: string): Promise<ToolResult>
  write(path: string, content: string | Buffer): Promise<void>
  /** Returns the text of a file; null if there is none. */
  read(path: string): Promise<string | null>
  /** Lists the reviewed files as `path change +added -removed`. */
  listed(scope?: ReviewScope): Promise<string[]>
  /** Sends a message and waits for the end of its turn. */
  turn(conversation: string, text: string): Promise<void>
  restart(): Promise<void>
  /** Closes Tizona but keeps the folder. */
  close(): Promise<void>
  remove(): Promise<void>
}

export const pending: ReviewScope = { kind: 'pending' }

/** @param endpoint address of a scripted model, for turns */
export async function reviewedFolder(
  files: Record<string, string | Buffer> = {},
  endpoint?: string,
): Promise<ReviewedFolder> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-review-')))
  const root = join(home, 'workspace')
  const userData = join(home, 'user')
  await mkdir(root)
  const write = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), content)
  }
  for (const [path, content] of Object.entries(files)) await write(path, content)
  const open = async () => {
    const core = await createCore({
      platform: {
        host: 'headless',
        fork: inProcessIndex,
        version: 'test',
        userData,
        resources: join(import.meta.dirname, '..', '..', '..', '..', 'resources'),
      },
      ...(endpoint !== undefined && {
        settings: {
          endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: endpoint, hasKey: false }],
          model: { endpointId: 'e', model: 'scripted' },
          mode: 'yolo',
        },
      }),
      trustWorkspace: true,
    })
    await core.openWorkspace(root)
    return core
  }
  let core = await open()
  let calls = 0
  let closed = false
  const folder: ReviewedFolder = {
    root,
    userData,
    get core() {
      return core
    },
    async request(name, params) {
      // The schema of a request returns the parameters of its handler.
      const handled = requests[name].params.parse(params) as Parameters<(typeof core.handlers)[typeof name]>[0]
      return (await core.handlers[name](handled, never)) as RequestResult<typeof name>
    },
    call(name, args, turn) {
      calls += 1
      const origin = {
        callId: `call-${calls}`,
        toolset: 'blade',
        mode: 'yolo',
        attended: false,
        signal: never,
      } as const
      return core.executor.call({ ...origin, name, arguments: args, ...(turn !== undefined && { turn }) })
    },
    command: (line, turn = 'turn') => folder.call('run_command', { command: line }, turn),
    write,
    read: (path) => readFile(join(root, path), 'utf8').catch(() => null),
    async listed(scope = pending) {
      const { files: found } = await folder.request('review.list', { scope })
      return found.map(({ path, change, added, removed }) => `${path} ${change} +${added} -${removed}`)
    },
    async turn(id, text) {
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      const stop = core.subscribe((name) => {
        if (name === 'conversation.turnEnded') resolve()
      })
      await folder.request('conversations.send', { id, text })
      await ended
      stop()
    },
    async restart() {
      await folder.close()
      core = await open()
      closed = false
    },
    async close() {
      if (!closed) await core.dispose()
      closed = true
    },
    async remove() {
      await folder.close()
      await rm(home, { recursive: true, force: true })
    },
  }
  return folder
}
