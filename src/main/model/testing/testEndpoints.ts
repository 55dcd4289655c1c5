import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Endpoint, Settings } from '../../../shared/settings/settings.ts'
import { createFileSecretStore } from '../../settings/secretStore.ts'
import { createSettingsStore } from '../../settings/settingsStore.ts'
import { createEndpoints, type Endpoints, type EndpointsDeps } from '../endpoints/endpoints.ts'

/** The server under test, as the user configured it. */
export type TestEndpoint = Pick<Endpoint, 'kind' | 'baseUrl'> & Partial<Endpoint>

/** Creates the endpoints of a session whose settings contain this one, with id `e`. Sends no request. */
export async function endpointsWith(
  endpoint: TestEndpoint,
  deps: Partial<EndpointsDeps> = {},
): Promise<{ endpoints: Endpoints; settings: EndpointsDeps['settings'] }> {
  const folder = await mkdtemp(join(tmpdir(), 'tizona-endpoints-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const notice = (message: string) => {
    throw new Error(message)
  }
  const settings = await createSettingsStore(folder, notice)
  const configured: Settings['endpoints'] = [{ id: 'e', name: 'Mine', hasKey: false, ...endpoint }]
  await settings.set({ endpoints: configured })
  const secrets = await createFileSecretStore(folder, notice)
  const endpoints = createEndpoints({ settings, secrets, discovery: false, ...deps })
  onTestFinished(() => endpoints.dispose())
  return { endpoints, settings }
}
