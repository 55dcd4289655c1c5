import type { ElectronSide, HarnessConfig, TestSide } from '../operations.ts'
import { createPeer, type Peer } from '../peer.ts'

/** Environment variable with a `HarnessConfig` as JSON for the application's process. */
export const configVariable = 'DESKTOP_HARNESS_CONFIG'

/** Configuration of this process, which runs one application. */
export const config: HarnessConfig = readConfig()
export const operations: Partial<ElectronSide> = {}
export const test: Peer<TestSide> = connect()

/** Switches of Chromium that the application has set. */
export const switches = new Map<string, string>()

let ready = false
const listeners: (() => void)[] = []

export const isReady = (): boolean => ready
export const whenReady = (): Promise<void> => new Promise((resolve) => (ready ? resolve() : listeners.push(resolve)))

/** Marks the application as ready, so that it can show windows. */
export function becomeReady(): void {
  ready = true
  for (const listener of listeners.splice(0)) listener()
}

/** @throws Error with this message before the application is ready, as in Electron */
export function needsReady(message: string): void {
  if (!ready) throw new Error(message)
}

function readConfig(): HarnessConfig {
  const text = process.env[configVariable]
  if (text === undefined)
    throw new Error(`${configVariable} is not set: this file is started by e2e/desktop/desktop.ts.`)
  // Removed, so that the application and its child processes do not inherit it.
  delete process.env[configVariable]
  return JSON.parse(text) as HarnessConfig
}

/**
 * Connects to the test and hides the channel from the application, because an application in Electron has no parent
 * process to send messages to.
 */
function connect(): Peer<TestSide> {
  const send = process.send?.bind(process)
  if (send === undefined) throw new Error('This file is started by e2e/desktop/desktop.ts, with a channel to it.')
  process.send = undefined
  const peer = createPeer<TestSide>({ send, onMessage: (listener) => void process.on('message', listener) }, operations)
  // Ends this process when the test's process ends.
  process.on('disconnect', () => process.exit(1))
  return peer
}
