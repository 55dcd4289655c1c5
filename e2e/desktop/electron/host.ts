import type { ElectronSide, HarnessConfig, TestSide } from '../operations.ts'
import { createPeer, type Peer } from '../peer.ts'

/** Name of the variable that carries a `HarnessConfig` as JSON into the application's process. */
export const configVariable = 'DESKTOP_HARNESS_CONFIG'

/** This process's ties to the test that started it. One application a process, so there is one of each. */
export const config: HarnessConfig = readConfig()
export const operations: Partial<ElectronSide> = {}
export const test: Peer<TestSide> = connect()

let ready = false
const listeners: (() => void)[] = []

export const isReady = (): boolean => ready
export const whenReady = (): Promise<void> => new Promise((resolve) => (ready ? resolve() : listeners.push(resolve)))

/** The application may show windows from here on. */
export function becomeReady(): void {
  ready = true
  for (const listener of listeners.splice(0)) listener()
}

/** @throws Error as Electron does where a module is used too early */
export function needsReady(message: string): void {
  if (!ready) throw new Error(message)
}

function readConfig(): HarnessConfig {
  const text = process.env[configVariable]
  if (text === undefined)
    throw new Error(`${configVariable} is not set: this file is started by e2e/desktop/desktop.ts.`)
  // The application and what it starts see an environment without it.
  delete process.env[configVariable]
  return JSON.parse(text) as HarnessConfig // Written by desktop.ts.
}

/** Takes the channel to the test for the harness alone: an application under Electron has no parent that listens. */
function connect(): Peer<TestSide> {
  const send = process.send?.bind(process)
  if (send === undefined) throw new Error('This file is started by e2e/desktop/desktop.ts, with a channel to it.')
  process.send = undefined
  const peer = createPeer<TestSide>({ send, onMessage: (listener) => void process.on('message', listener) }, operations)
  // Nobody would end this process otherwise.
  process.on('disconnect', () => process.exit(1))
  return peer
}
