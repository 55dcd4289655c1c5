import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { pluginReaders } from '../appServices/userData.ts'
import { secretId } from '../mcp/serverEntries.ts'
import { createPluginStore } from '../settings/plugins/pluginStore.ts'
import { createPluginHandlers } from './extensionHandlers.ts'

const signal = new AbortController().signal

it('secrets of a server are deleted before its update or removal is applied', async () => {
  const user = await mkdtemp(path.join(tmpdir(), 'tizona-plugins-'))
  onTestFinished(() => rm(user, { recursive: true, force: true }))
  const plugins = await createPluginStore({
    userDataFolder: user,
    openArchive: () => Promise.reject(new Error('not used')),
    readers: pluginReaders,
    onNotice: () => undefined,
  })
  const stored = new Map<string, string>()
  const handlers = createPluginHandlers(
    {
      plugins,
      secrets: {
        get: async (id) => stored.get(id),
        set: async (id, value) => void (value === null ? stored.delete(id) : stored.set(id, value)),
      },
    },
    {
      session: () => undefined,
      current: () => {
        throw new Error('not used')
      },
    },
  )
  const add = (url: string) => {
    const servers = { anvil: { type: 'http', url, headers: { token: '${input:token}' } } }
    const files = Object.entries({ '.mcp.json': JSON.stringify(servers) })
    return handlers['plugins.addFiles'](
      { name: 'forge', files: files.map(([file, text]) => ({ path: file, data: btoa(text) })) },
      signal,
    )
  }
  const id = secretId({ origin: 'plugin', name: 'forge:anvil' }, '', 'token')
  const { plugin } = await add('https://one.example/mcp')
  await handlers['plugins.trust']({ name: 'forge', hash: plugin.hash, trusted: true }, signal)
  const atChange: boolean[] = []
  plugins.onChanged(() => atChange.push(stored.has(id)))

  stored.set(id, 'secret')
  const same = (await add('https://one.example/other')).plugin.offered?.hash ?? ''
  await handlers['plugins.accept']({ name: 'forge', hash: same }, signal)
  expect(atChange.splice(0)).toEqual([true, true])

  const other = (await add('https://two.example/mcp')).plugin.offered?.hash ?? ''
  await expect(handlers['plugins.accept']({ name: 'forge', hash: same }, signal)).rejects.toMatchObject({
    code: 'conflict',
  })
  expect(stored.has(id)).toBe(true)
  await handlers['plugins.accept']({ name: 'forge', hash: other }, signal)
  expect(atChange.splice(0)).toEqual([true, false])

  stored.set(id, 'secret')
  await handlers['plugins.remove']({ name: 'forge' }, signal)
  expect(atChange).toEqual([false])
})
