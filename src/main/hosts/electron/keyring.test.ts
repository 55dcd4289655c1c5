import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SafeStorage } from 'electron'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createFileSecretStore } from '../../settings/secretStore.ts'
import { systemKeyring } from './keyring.ts'

/** The parts of Electron's safeStorage that are used. It "encrypts" by reversing the text. */
function fakeSafeStorage(change: { available?: boolean; backend?: string } = {}): SafeStorage {
  const turned = (text: string) => text.split('').reverse().join('')
  const fake = {
    isAsyncEncryptionAvailable: async () => change.available ?? true,
    getSelectedStorageBackend: () => change.backend ?? 'gnome_libsecret',
    encryptStringAsync: async (text: string) => Buffer.from(turned(text)),
    decryptStringAsync: async (bytes: Buffer) => {
      const text = turned(bytes.toString())
      if (!text.startsWith('s3cret')) throw new Error('Not encrypted here.')
      return { result: text, shouldReEncrypt: false }
    },
  }
  // Only these four are called.
  return fake as Partial<SafeStorage> as SafeStorage
}

async function setUp(safeStorage?: SafeStorage, folder?: string) {
  const made = folder ?? (await mkdtemp(join(tmpdir(), 'tizona-keyring-')))
  if (!folder) onTestFinished(() => rm(made, { recursive: true, force: true }))
  const notices: string[] = []
  const open = safeStorage && (() => systemKeyring(safeStorage, 'linux'))
  const secrets = await createFileSecretStore(made, (message) => void notices.push(message), open)
  return { folder: made, secrets, notices, text: () => readFile(join(made, 'secrets.json'), 'utf8') }
}

describe('a system with a keychain', () => {
  test('stores keys encrypted, and returns them decrypted', async () => {
    const { secrets, notices, text } = await setUp(fakeSafeStorage())
    await secrets.set('one', 's3cret')
    expect(await text()).not.toContain('s3cret')
    expect(await secrets.get('one')).toBe('s3cret')
    expect(notices).toEqual([])
  })

  test('encrypts keys that were stored as plain text', async () => {
    const before = await setUp()
    await before.secrets.set('one', 's3cret-1')
    await before.secrets.set('two', 's3cret-2')
    const { secrets, text } = await setUp(fakeSafeStorage(), before.folder)
    expect(await secrets.get('one')).toBe('s3cret-1')
    expect(await text()).not.toContain('s3cret')
    expect(await secrets.get('two')).toBe('s3cret-2')
  })

  test('fails with a hint if a key cannot be decrypted', async () => {
    const { folder, secrets } = await setUp(fakeSafeStorage())
    await writeFile(
      join(folder, 'secrets.json'),
      JSON.stringify({ one: { protected: Buffer.from('else').toString('base64') } }),
    )
    const again = await setUp(fakeSafeStorage(), folder)
    await expect(again.secrets.get('one')).rejects.toMatchObject({
      code: 'permission_denied',
      next: expect.stringMatching(/Enter the key again/),
    })
    expect(await secrets.get('none')).toBeUndefined()
  })

  test('is not opened before there is a key', async () => {
    let asked = 0
    const folder = await mkdtemp(join(tmpdir(), 'tizona-keyring-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const secrets = await createFileSecretStore(
      folder,
      () => undefined,
      async () => {
        asked += 1
        return undefined
      },
    )
    await secrets.get('one')
    await secrets.set('one', null)
    expect(asked).toBe(0)
  })
})

test.each([
  ['there is no keychain', { available: false }],
  ['the only keychain has a fixed password', { backend: 'basic_text' }],
])('if %s, keys are plain text in a file that only the user can read, with one notice', async (_name, change) => {
  const { secrets, notices, text } = await setUp(fakeSafeStorage(change))
  await secrets.set('one', 's3cret')
  await secrets.set('two', 's3cret')
  expect(await text()).toContain('s3cret')
  expect(await secrets.get('one')).toBe('s3cret')
  expect(notices).toEqual([expect.stringMatching(/cannot use a keychain.*only you can read/)])
})

test('a host without a keychain cannot read keys encrypted by the desktop host, and reports it', async () => {
  const { folder, secrets } = await setUp(fakeSafeStorage())
  await secrets.set('one', 's3cret')
  const headless = await setUp(undefined, folder)
  await expect(headless.secrets.get('one')).rejects.toMatchObject({
    code: 'permission_denied',
    message: expect.stringMatching(/desktop application/),
  })
})
