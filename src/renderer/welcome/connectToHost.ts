import { create } from 'zustand'
import type { KnownHosts, RemoteHost } from '../../shared/remote/remote.ts'
import { isAbort } from '../../shared/errors.ts'
import { on, request } from '../platform/bridge/bridge.ts'
import { handleCommand } from '../platform/commands.ts'
import { quickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'

interface Connecting {
  operation: string
  address: string
  /** What takes long, such as copying the server. */
  text: string | null
}

/** The attempt to connect that runs. */
export const useConnecting = create<{ connecting: Connecting | null }>(() => ({ connecting: null }))

/** A choice of the picker, by the id of its item. */
interface Target {
  address: string
  folder?: string
}

/** Pure: the items for what the user has typed. A text that is no entry is a host itself. */
export function hostItems(known: KnownHosts, query: string): { item: QuickPickItem; target: Target }[] {
  const typed = query.trim()
  const folder = ({ host, folder: path }: { host: RemoteHost; folder: string }, index: number) => ({
    item: {
      id: `folder:${host.address}:${path}`,
      label: path,
      description: host.label,
      icon: 'folder',
      ...(index === 0 && { heading: 'Recent folders' }),
    },
    target: { address: host.address, folder: path },
  })
  const host = ({ address, label }: RemoteHost, index: number) => ({
    item: {
      id: `host:${address}`,
      label: address,
      description: label,
      icon: 'remote',
      ...(index === 0 && { heading: 'Hosts of the SSH configuration' }),
    },
    target: { address },
  })
  const matches = (...texts: string[]) => texts.some((text) => text.toLowerCase().includes(typed.toLowerCase()))
  const hosts = known.hosts.filter(({ address }) => matches(address))
  const recents = known.recents.filter((each) => matches(each.folder, each.host.address))
  const isNew = typed !== '' && !known.hosts.some(({ address }) => address === typed)
  return [
    ...hosts.map(host),
    ...(isNew
      ? [{ item: { id: 'typed', label: `Connect to ${typed}`, icon: 'remote' }, target: { address: typed } }]
      : []),
    ...recents.map(folder),
  ]
}

async function pickHost(): Promise<Target | null> {
  const known = await request('remote.hosts', {})
  const targets = new Map<string, Target>()
  const picked = await quickPick({
    title: 'Connect to host',
    placeholder: 'Host, user@host, docker:CONTAINER or wsl:DISTRIBUTION',
    empty: 'Type the name of a host.',
    items: async (query) =>
      hostItems(known, query).map(({ item, target }) => {
        targets.set(item.id, target)
        return item
      }),
  })
  return picked ? (targets.get(picked.id) ?? null) : null
}

async function connectToHost(): Promise<void> {
  const target = await pickHost()
  if (target === null) return
  const operation = crypto.randomUUID()
  useConnecting.setState({ connecting: { operation, address: target.address, text: null } })
  try {
    await request('remote.connect', { ...target, operation })
  } catch (error) {
    // The user knows.
    if (!isAbort(error)) throw error
  } finally {
    if (useConnecting.getState().connecting?.operation === operation) useConnecting.setState({ connecting: null })
  }
}

/** Registers the commands for other machines. @returns a function that unregisters them */
export function registerHosts(): () => void {
  const stops = [
    handleCommand('remote.connect', connectToHost),
    handleCommand('remote.reconnect', () => request('remote.reconnect', {})),
    on('remote.progress', ({ operation, text }) => {
      const { connecting } = useConnecting.getState()
      if (connecting?.operation === operation) useConnecting.setState({ connecting: { ...connecting, text } })
    }),
  ]
  return () => stops.forEach((stop) => stop())
}
