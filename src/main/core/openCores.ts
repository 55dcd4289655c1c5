import type { z } from 'zod'
import type { sentImages } from '../../shared/agent/conversationRequests.ts'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { SessionRow } from '../../shared/agent/sessionRows.ts'
import type { Agent } from '../agent/agent.ts'
import type { Gate } from '../approval/gate.ts'
import type { Mode } from '../../shared/tools/risk.ts'
import type { Jobs } from '../command/jobTypes.ts'
import type { SessionRecord } from '../sessions/sessionRecords.ts'

/** What all tries of a task share, and the model of one. */
export interface Attempt {
  prompt: string
  images?: SentImages | undefined
  mode?: Mode | undefined
  model?: ModelChoice | undefined
}

/** Pictures of a message, stored with `images.add`. */
export type SentImages = z.output<typeof sentImages>

/** The tries that a core has started. */
export interface OwnTries {
  isRunning(session: string): boolean
  /** Stops tries of this core. Resolves when they have ended. */
  stopOwn(sessions: readonly string[]): Promise<void>
}

/** What a core offers the other cores of its process, whose windows list its sessions and answer them. */
export interface OpenCore {
  /** Root of the open folder, if one is open. */
  folder(): string | undefined
  /** Real paths of the folders in it: several in a multi-root workspace. */
  folders(): readonly string[]
  /** Lists the conversations of the open folder. */
  rows(): SessionRow[]
  /** Lists those that wait for the user: the ones with approvals or questions. */
  waiting(): SessionRow[]
  gate: Pick<Gate, 'pending' | 'decide'>
  agent: Pick<Agent, 'update' | 'stop'>
  jobs(): Jobs | undefined
  tries: OwnTries
  /** Runs a try whose worktree is the open folder. */
  attempt(session: SessionRecord, attempt: Attempt, signal: AbortSignal): Promise<unknown>
  /** Shows a conversation in this core's window, also in one that attaches later. */
  show(conversation: string): void
  /** Informs this core's window that sessions have changed. */
  sessionsChanged(): void
}

/** The cores of this process. The host creates it, so that each of its windows shows the sessions of all. */
export interface OpenCores {
  /** @returns a function that removes the core */
  add(core: OpenCore): () => void
  all(): readonly OpenCore[]
  /** Informs all windows that sessions have changed. */
  changed(): void
}

export function createOpenCores(): OpenCores {
  const cores = new Set<OpenCore>()
  const changed = (): void => {
    for (const core of cores) core.sessionsChanged()
  }
  return {
    add(core) {
      cores.add(core)
      return () => {
        cores.delete(core)
        changed()
      }
    },
    all: () => [...cores],
    changed,
  }
}
