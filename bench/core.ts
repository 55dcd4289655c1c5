import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCore, type Core, type CoreOptions } from '../src/main/core.ts'

/**
 * Opens the product's core on a folder, without a window and with a temporary user data folder.
 * @param trusted whether programs of the folder may be debugged
 */
export async function openCore(
  root: string,
  { trusted = false, ...options }: { trusted?: boolean } & Pick<CoreOptions, 'features' | 'settings'> = {},
): Promise<{ core: Core; close(): Promise<void> }> {
  const userData = await mkdtemp(join(tmpdir(), 'tizona-bench-user-'))
  const core = await createCore({
    ...options,
    trustWorkspace: trusted,
    platform: {
      host: 'headless',
      version: 'bench',
      userData,
      resources: join(import.meta.dirname, '..', 'resources'),
    },
  })
  await core.openWorkspace(root)
  return {
    core,
    async close() {
      await core.dispose()
      await rm(userData, { recursive: true, force: true })
    },
  }
}

let calls = 0

/** Calls a tool like a model. @throws Error if the call fails, which ends the benchmark */
export async function callTool(core: Core, name: string, args: Record<string, unknown>): Promise<string> {
  const result = await core.executor.call({
    callId: `bench-${calls++}`,
    name,
    arguments: args,
    toolset: 'blade',
    mode: 'yolo',
    attended: false,
    signal: new AbortController().signal,
  })
  if (!result.ok) throw new Error(`${name} failed: ${result.text}`)
  return result.text
}
