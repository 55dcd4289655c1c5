import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { forkNode, type ChildProcess, type ForkProcess } from '../../base/childProcess.ts'
import { createFileSecretStore } from '../../settings/secretStore.ts'
import { createSettingsStore } from '../../settings/settingsStore.ts'
import { textPrompt } from '../../tools/schema/toolSchema.ts'
import { createEndpoints } from '../endpoints/endpoints.ts'
import type { ModelFilesDeps } from '../file/modelFiles.ts'

/** Returns endpoints that can open model files, and the processes that they start. Ends with the test. */
export async function setUpModelFiles(modelFiles: ModelFilesDeps = {}) {
  const data = await mkdtemp(path.join(tmpdir(), 'tizona-gguf-data-'))
  onTestFinished(() => rm(data, { recursive: true, force: true }))
  const notice = (message: string) => {
    throw new Error(message)
  }
  const settings = await createSettingsStore(data, notice)
  const secrets = await createFileSecretStore(data, notice)
  const children: ChildProcess[] = []
  const fork: ForkProcess = (...given) => {
    const child = forkNode(...given)
    children.push(child)
    return child
  }
  const endpoints = createEndpoints({
    settings,
    secrets,
    discovery: false,
    textPrompt,
    modelFiles: { fork, ...modelFiles },
  })
  onTestFinished(() => endpoints.dispose())
  const open = async (file: string, contextWindow?: number) => {
    const draft = { name: 'File', kind: 'gguf' as const, baseUrl: file, hasKey: false }
    return endpoints.save(
      { ...draft, ...(contextWindow && { contextWindow }) },
      undefined,
      new AbortController().signal,
    )
  }
  return { endpoints, open, children }
}
