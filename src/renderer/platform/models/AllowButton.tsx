import type { Endpoint } from '../../../shared/settings/settings.ts'
import { useApp } from '../appState.ts'
import { request } from '../bridge/bridge.ts'
import { attempt } from '../notices.ts'
import { Button } from '../../ui/index.ts'
import { loadEndpoints } from './endpointsStore.ts'

/** Lets the host of a remote window use a model server of this computer. */
export function AllowButton({ endpoint }: { endpoint: Endpoint }) {
  const host = useApp(({ state }) => state?.remote?.host.label)
  async function allow(): Promise<void> {
    await request('endpoints.allow', { id: endpoint.id })
    await loadEndpoints(false)
  }
  return (
    <Button
      size="small"
      icon="plug"
      title={`${host ?? 'The host'} can then send prompts to this server while the window is connected, and to nothing else of this computer.`}
      onClick={() => attempt(allow, 'The host could not be allowed to use the server')}
    >
      {`Use ${endpoint.name}`}
    </Button>
  )
}
