import { z } from 'zod'
import { once } from '../../shared/async/once.ts'
import { maxFolderLength } from '../../shared/remote/remote.ts'
import { log } from '../base/log/log.ts'
import { openJsonFile } from '../settings/jsonFile.ts'

const schema = z.object({ address: z.string().max(500), folder: z.string().max(maxFolderLength) })
export type RemoteRecent = z.output<typeof schema>

const maxRecents = 20

/** The folders that were open on other machines, latest first. */
export interface RemoteRecents {
  list(): Promise<RemoteRecent[]>
  /** Ignores what no host of this build names. Never fails: a list that cannot be written is logged. */
  add(recent: RemoteRecent): void
}

/** @param path where they are stored */
export function createRemoteRecents(path: string): RemoteRecents {
  // Parts that cannot be read must not hide the others, which the file's reader sees to.
  const file = once(() => openJsonFile(path, z.array(schema), [], (reason) => log.warn(reason), { replaceable: true }))
  const isOther = (recent: RemoteRecent) => (known: RemoteRecent) =>
    known.address !== recent.address || known.folder !== recent.folder

  async function store(recent: RemoteRecent): Promise<void> {
    await (await file()).update((list) => [recent, ...list.filter(isOther(recent))].slice(0, maxRecents))
  }

  let stored = Promise.resolve()
  return {
    async list() {
      await stored
      return [...(await file()).value]
    },
    add(recent) {
      if (!schema.safeParse(recent).success) return
      stored = stored
        .then(() => store(recent))
        .catch((error: unknown) => log.error('The recent folders of hosts could not be saved', error))
    },
  }
}
