import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { AgentDefinition } from '../../../../shared/agent/agents.ts'
import type { ApprovalDecision, ApprovalRequest } from '../../../../shared/tools/approval.ts'
import type { AssistantItem, ConversationItem, NoticeItem, ToolItem } from '../../../../shared/agent/conversation.ts'
import type { Mode } from '../../../../shared/tools/risk.ts'
import { createCore, type Core, type CoreOptions } from '../../../core.ts'
import { findInstallation } from '../../../hosts/installation.ts'
import { runTurn } from '../../../core/runTurn.ts'
import { inProcessIndex } from '../../../testing/inProcessIndex.ts'

const never = new AbortController().signal
const script = resolve(import.meta.dirname, '../../../acp/testing/scriptedAgent.ts')

export interface StoryOptions {
  /** Arguments of the scripted agent. */
  args?: string[]
  mode?: Mode
  sandbox?: boolean
  /** Settings beside the agent. */
  settings?: CoreOptions['settings']
  /** The browser host watches the folder. */
  host?: 'headless' | 'browser'
  /** Whether the user trusts the folder, which only the browser host asks. */
  trusted?: boolean
}

/** A folder with `a.txt`, and a conversation in it with the scripted agent. */
export interface AgentStory {
  home: string
  workspace: string
  core: Core
  /** Id of the conversation. */
  conversation: string
  /** Resolves when the browser host watches the folder. */
  watching: Promise<void>
  /** The approval requests so far. */
  asked: ApprovalRequest[]
  /** Answers all later approval requests; `wait` gives no answer. */
  decide(decision: ApprovalDecision | { kind: 'wait' }): void
  setMode(mode: Mode): Promise<void>
  send(text: string, interrupted?: AbortSignal): ReturnType<typeof runTurn>
  /** Has the agent request permission for calls. @returns the answers that it got; clears `asked` before */
  request(...calls: Record<string, unknown>[]): Promise<string | undefined>
  items(): Promise<ConversationItem[]>
  /** Texts of the answers. */
  answers(): Promise<string[]>
  cards(): Promise<ToolItem[]>
  notices(): Promise<string[]>
  /** Paths in the review. */
  changed(): Promise<string[]>
}

/** A temporary folder for the workspace and the user data of stories. */
export async function storyHome(): Promise<{ home: string; workspace: string; remove: () => Promise<void> }> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'tizona-agent-')))
  const workspace = join(home, 'workspace')
  await mkdir(workspace)
  await writeFile(join(workspace, 'a.txt'), 'one\n')
  return { home, workspace, remove: () => rm(home, { recursive: true, force: true }) }
}

/** Starts a core with the scripted agent. The caller disposes of it. */
export async function startStory(
  { home, workspace }: { home: string; workspace: string },
  { args = [], mode = 'safe', sandbox = false, settings, host = 'headless', trusted = true }: StoryOptions = {},
): Promise<AgentStory> {
  const agent: AgentDefinition = {
    id: 'other',
    name: 'Other',
    command: process.execPath,
    args: [script, ...args],
    env: {},
    // The sandbox shows the script only if it is in such a folder.
    folders: sandbox ? [resolve(import.meta.dirname, '../../../../..')] : [],
    sandbox,
  }
  const core = await createCore({
    platform: {
      host,
      version: '1.0.0',
      userData: join(home, 'user'),
      resources: findInstallation().resources,
      fork: inProcessIndex,
    },
    settings: { ...settings, agents: [agent] },
    attended: true,
    trustWorkspace: host === 'browser' && trusted,
  })
  const { promise: watching, resolve: watches } = Promise.withResolvers<void>()
  core.subscribe((name, payload) => {
    if (name === 'files.changed' && payload !== null && 'overflow' in payload && payload.overflow) watches()
  })
  await core.openWorkspace(workspace)
  const asked: ApprovalRequest[] = []
  let decision: Parameters<AgentStory['decide']>[0] = { kind: 'once' }
  core.subscribe((...event) => {
    const [name, payload] = event
    if (name !== 'approval.requested' || payload === null || !('requestedAt' in payload)) return
    asked.push(payload)
    if (decision.kind === 'wait') return
    void core.handlers['approvals.decide']({ requestId: payload.id, decision }, never)
  })
  const { info } = await core.handlers['conversations.create']({}, never)
  const { id } = info
  await core.handlers['conversations.update']({ id, agent: 'other', mode }, never)

  const items = async (): Promise<ConversationItem[]> =>
    (await core.handlers['conversations.open']({ id }, never)).items
  const send = (text: string, interrupted: AbortSignal = never) => runTurn(core, { id, text, interrupted })
  const answers = async () =>
    (await items()).filter((item): item is AssistantItem => item.kind === 'assistant').map(({ text }) => text)
  return {
    home,
    workspace,
    core,
    conversation: id,
    watching,
    asked,
    decide(next) {
      decision = next
    },
    async setMode(next) {
      await core.handlers['conversations.update']({ id, mode: next }, never)
    },
    send,
    async request(...calls) {
      asked.length = 0
      await send(`request ${JSON.stringify(calls)}`)
      return (await answers()).at(-1)?.replace('Answer: ', '')
    },
    items,
    answers,
    cards: async () => (await items()).filter((item): item is ToolItem => item.kind === 'tool'),
    notices: async () =>
      (await items()).filter((item): item is NoticeItem => item.kind === 'notice').map(({ text }) => text),
    changed: async () =>
      (await core.handlers['review.list']({ scope: { kind: 'pending' } }, never)).files.map(({ path }) => path),
  }
}
