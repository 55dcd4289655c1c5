import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { Sequencer } from '../../../shared/async/sequencer.ts'
import { log } from '../../base/log/log.ts'
import { maxFolderLength } from './remoteProtocol.ts'

const schema = z.object({ address: z.string().max(500), folder: z.string().max(maxFolderLength) })
export type RemoteRecent = z.output<typeof schema>

const maxRecents = 20

/** The folders that were open on other machines, latest first. */
export interface RemoteRecents {
  list(): Promise<RemoteRecent[]>
  add(recent: RemoteRecent): void
}

/** @param file where they are stored */
export function createRemoteRecents(file: string): RemoteRecents {
  const changes = new Sequencer()

  async function list(): Promise<RemoteRecent[]> {
    try {
      const stored = z.array(z.unknown()).parse(JSON.parse(await readFile(file, 'utf8')))
      // One that cannot be read must not hide the others.
      return stored.flatMap((each) => schema.safeParse(each).data ?? [])
    } catch {
      // None yet, or a file that somebody has changed.
      return []
    }
  }

  async function store(recent: RemoteRecent): Promise<void> {
    if (!schema.safeParse(recent).success) return
    const others = (await list()).filter(
      ({ address, folder }) => address !== recent.address || folder !== recent.folder,
    )
    const temporary = `${file}.${process.pid}`
    await writeFile(temporary, JSON.stringify([recent, ...others].slice(0, maxRecents)), { mode: 0o600 })
    await rename(temporary, file)
  }

  return {
    list: () => changes.queue(list),
    add: (recent) =>
      void changes
        .queue(() => store(recent))
        .catch((error: unknown) => log.error('The recent folders of hosts could not be saved', error)),
  }
}
