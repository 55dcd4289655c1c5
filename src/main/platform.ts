import type { ForkProcess } from './code/process/childProcess.ts'
import type { Keyring } from './settings/secretStore.ts'

export type { ChildEvents, ChildProcess, ForkOptions, ForkProcess } from './code/process/childProcess.ts'
export type { Keyring } from './settings/secretStore.ts'

/** What a shell lends the core: the things only it can do. */
export interface Platform {
  host: 'electron' | 'browser' | 'headless'
  version: string
  /** Settings, secrets, conversations. Created with mode 0700 when missing. Tests point it at a temporary folder. */
  userData: string
  /** `resources/` of the installation. */
  resources: string
  /** The system's folder dialog, where the shell has one. */
  pickFolder?(): Promise<string | null>
  /** Opens an http(s) address in the user's browser. */
  openExternal?(url: string): Promise<void>
  /** Shows a file or folder in the system's file manager. */
  showInFileManager?(absolutePath: string): void
  /** Moves a file or folder to the system's trash. Rejects with the system's reason. */
  moveToTrash?(absolutePath: string): Promise<void>
  /** Receives the folders opened last, the latest first, at start and after each change. */
  recentsChanged?(folders: readonly string[]): void
  /** Where the shell can reach a keychain; undefined where this system has none that protects anything. */
  keyring?(): Promise<Keyring | undefined>
  /** How the shell starts a process of the application's own; without, as Node does. */
  fork?: ForkProcess
}
