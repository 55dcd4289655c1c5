import type { ConversationInfo, ConversationItem } from '../../shared/agent/conversation.ts'
import type { SessionQuestion, SessionRow, SessionState } from '../../shared/agent/sessionRows.ts'
import type { Agent } from '../agent/agent.ts'
import type { Gate } from '../approval/gate.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { createPlainText } from '../command/plainText.ts'
import type { ConversationStore } from '../history/conversations.ts'
import { runsElsewhere, type Runner } from '../history/conversationRunner.ts'
import { endOf, sizesOf } from './sessionFacts.ts'

/** Lists the conversations of folders as sessions. */
export interface ConversationRows {
  /** Rows of the open folder, whose conversations may be running in this core. */
  open(folder: string, branch: string | undefined): SessionRow[]
  /** Rows of a folder that no core of this process has open. */
  closed(folder: string, branch: string): SessionRow[]
  /** Reads a conversation again when it is listed next. */
  forget(conversation: string): void
}

interface ConversationRowsDeps {
  agent: Pick<Agent, 'peek'>
  gate: Pick<Gate, 'pending'>
  store: ConversationStore
  jobs(): Jobs | undefined
}

/** What is read from the items of a conversation that is not in memory. */
type StoredFacts = Pick<SessionRow, 'tokens' | 'changedFiles'> & {
  updatedAt: number
  end: SessionState
  /** Ids of the commands that its calls started. */
  jobs: ReadonlySet<string>
}

/**
 * Number of conversations of an open and of a closed folder that are listed, besides pinned and running ones. As many
 * archived ones are listed.
 */
const maxRecent = { open: 30, closed: 3 }
/** Number of items from the end of a stored conversation that show how it ended. */
const latestCount = 20
/** Maximum characters of the output that is shown with a question. */
const maxQuestion = 300

export function createConversationRows({ agent, gate, store, jobs }: ConversationRowsDeps): ConversationRows {
  const stored = new Map<string, StoredFacts>()

  function storedFacts({ id, updatedAt }: ConversationInfo, runner: Runner | undefined): StoredFacts {
    // While a turn runs, its items change, and what they show then must not be known after its end.
    if (runner) stored.delete(id)
    const known = stored.get(id)
    if (known?.updatedAt === updatedAt) return known
    const items = store.latestItems(id, latestCount)
    const facts = { ...sizesOf(items), end: endOf(items), updatedAt, jobs: jobsOf(items) }
    if (!runner) stored.set(id, facts)
    return facts
  }

  function rowOf(
    info: ConversationInfo,
    runner: Runner | undefined,
    branch: string | undefined,
    open: boolean,
  ): SessionRow {
    const { id, title, workspace, updatedAt, pinned = false, archived = false } = info
    const inMemory = open ? agent.peek(id) : undefined
    // Another process may have worked on it since.
    const live = inMemory?.running === true || inMemory?.updatedAt === updatedAt ? inMemory : undefined
    const facts = live
      ? { ...sizesOf(live.items), end: endOf(live.items), jobs: jobsOf(live.items) }
      : storedFacts(info, runner)
    const elsewhere = live?.running !== true && runsElsewhere(runner)
    const running = live?.running === true || elsewhere
    const approvals = open ? gate.pending().filter(({ conversationId }) => conversationId === id) : []
    const questions = open ? questionsOf(facts.jobs, jobs()) : []
    const state = approvals.length > 0 ? 'approval' : questions.length > 0 ? 'asking' : running ? 'working' : facts.end
    return {
      key: id,
      conversation: id,
      title,
      folder: workspace,
      branch: branch ?? null,
      worktree: null,
      place: elsewhere ? 'elsewhere' : open ? 'window' : 'closed',
      state,
      note: live?.note ?? null,
      changedFiles: facts.changedFiles,
      tokens: facts.tokens,
      since: running ? (runner?.since ?? updatedAt) : updatedAt,
      pinned,
      archived,
      approvals,
      questions,
    }
  }

  function list(folder: string, branch: string | undefined, open: boolean): SessionRow[] {
    const most = open ? maxRecent.open : maxRecent.closed
    const left = { shown: most, archived: most }
    return store.listWithRunners(folder).flatMap(({ info, runner }) => {
      const kind = info.archived === true ? 'archived' : 'shown'
      const counts = info.pinned !== true && runner === undefined
      if (counts && left[kind] === 0) return []
      const row = rowOf(info, runner, branch, open)
      if (row.state === 'idle') return []
      if (counts) left[kind] -= 1
      return [row]
    })
  }

  return {
    open: (folder, branch) => list(folder, branch, true),
    closed: (folder, branch) => list(folder, branch, false),
    forget: (conversation) => void stored.delete(conversation),
  }
}

function jobsOf(items: readonly ConversationItem[]): Set<string> {
  return new Set(items.flatMap((item) => (item.kind === 'tool' && item.job ? [item.job.id] : [])))
}

/** Returns the commands of a conversation that wait for input. */
function questionsOf(own: ReadonlySet<string>, jobs: Jobs | undefined): SessionQuestion[] {
  const waiting = jobs?.list().filter(({ state }) => state === 'waiting_for_input') ?? []
  if (!jobs || waiting.length === 0) return []
  return waiting
    .filter(({ id }) => own.has(id))
    .map(({ id, command }) => ({ jobId: id, command, output: lastOutput(jobs.backlog(id)) }))
}

/** Returns the end of a terminal's output as plain text: what a command asks. */
function lastOutput(backlog: string): string {
  const plain = createPlainText(maxQuestion * 10)
  plain.write(backlog.slice(-maxQuestion * 10))
  return plain.all().trimEnd().slice(-maxQuestion).trimStart()
}
