import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createCore, type Core } from '../core.ts'
import type { CoreOptions } from '../core/coreContract.ts'
import { startOneSlotServer, type OneSlotServer, type OneSlotServerOptions } from '../model/testing/oneSlotServer.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { headlessPlatform } from './headlessPlatform.ts'

const never = new AbortController().signal

/** A conversation at a scripted server that reports what it had in its cache. */
export interface OneSlotConversation {
  server: OneSlotServer
  core: Core
  id: string
  /** Starts a turn and resolves when it has ended. */
  ended(start: () => unknown): Promise<void>
  /** Sends a message and resolves when its turn has ended. */
  send(text: string): Promise<void>
}

/**
 * Opens a conversation in a temporary folder with these files. Everything ends with the test.
 * @param served options of the server
 * @param options options of the core, whose settings are added to the server and its model
 */
export async function openOneSlotConversation(
  files: Readonly<Record<string, string>>,
  served: OneSlotServerOptions,
  { settings, ...options }: Partial<CoreOptions> = {},
): Promise<OneSlotConversation> {
  const folder = await temporaryFolder({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`workspace/${name}`, text])),
    'user/': '',
  })
  onTestFinished(() => folder.remove())
  const server = await startOneSlotServer(served)
  onTestFinished(() => server.close())
  const core = await createCore({
    platform: headlessPlatform(join(folder.root, 'user')),
    settings: {
      endpoints: [{ id: 'e', name: 'E', kind: 'openai', baseUrl: server.url, hasKey: false }],
      model: { endpointId: 'e', model: 'one-slot' },
      mode: 'yolo',
      ...settings,
    },
    ...options,
  })
  onTestFinished(() => core.dispose())
  await core.openWorkspace(join(folder.root, 'workspace'))
  const { info } = await core.handlers['conversations.create']({}, never)
  const ended: OneSlotConversation['ended'] = async (start) => {
    const end = new Promise<void>((resolve) => {
      const stop = core.subscribe((name) => {
        if (name !== 'conversation.turnEnded') return
        stop()
        resolve()
      })
    })
    await start()
    await end
  }
  const send = (text: string) => ended(() => core.handlers['conversations.send']({ id: info.id, text }, never))
  return { server, core, id: info.id, ended, send }
}
