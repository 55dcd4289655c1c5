import type { EditorPort } from './workspace/editorPort.ts'
import type { EventName, Events, WorkspaceInfo } from '../shared/protocol.ts'
import type { Handlers } from './handlers/handlers.ts'
import type { Executor } from './tools/executor.ts'
import type { Platform } from './platform.ts'
import type { Settings } from '../shared/settings.ts'

/** A window as the core sees it: it takes events and answers asks. A shell makes one per connection. */
export interface WindowLink {
  emit<N extends EventName>(name: N, payload: Events[N]): void
  ask: EditorPort['ask']
}

export interface Core {
  /** Answers to everything a window can request; params are checked by the caller (shell/connection.ts). */
  readonly handlers: Handlers
  readonly executor: Executor
  /** One window at a time: attaching another sends the first `app.detached`. @returns detach */
  attach(link: WindowLink): () => void
  /** Sees every event, windows or not (the headless entry). @returns unsubscribe */
  subscribe(listener: <N extends EventName>(name: N, payload: Events[N]) => void): () => void
  openWorkspace(path: string): Promise<WorkspaceInfo>
  /** Ends turns, jobs, watchers and the store; resolves when nothing is left running. */
  dispose(): Promise<void>
}

export interface CoreOptions {
  platform: Platform
  /** Laid over the stored settings for this process only and never stored: what a headless run was told on its command line. */
  settings?: Partial<Settings>
}

export type CreateCore = (options: CoreOptions) => Promise<Core>
