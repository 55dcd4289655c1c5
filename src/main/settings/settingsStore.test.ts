import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createRecentFolders } from './recentFolders.ts'
import { createFileSecretStore } from './secretStore.ts'
import { createSettingsStore } from './settingsStore.ts'

let folder: string
let notices: string[]
const notice = (message: string) => void notices.push(message)
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-settings-'))
  notices = []
})
afterEach(() => rm(folder, { recursive: true, force: true }))
const modeOf = async (name: string) => (await stat(join(folder, name))).mode & 0o777
const store = (forThisProcess = {}) => createSettingsStore(folder, notice, forThisProcess)

describe('settings', () => {
  test('are the defaults until they are set', async () => {
    const first = await store()
    expect(first.get()).toMatchObject({ theme: 'system', mode: 'safe', maxTurns: 50 })
    await first.set({ theme: 'dark' })
    expect((await store()).get()).toMatchObject({ theme: 'dark', mode: 'safe' })
  })

  test('are readable only by the user, and leave no temporary file', async () => {
    await (await store()).set({ mode: 'plan' })
    expect(await modeOf('settings.json')).toBe(0o600)
    expect(await readdir(folder)).toEqual(['settings.json'])
  })

  test('concurrent changes are all kept', async () => {
    const settings = await store()
    await Promise.all([settings.set({ theme: 'dark' }), settings.set({ mode: 'yolo' }), settings.set({ maxTurns: 7 })])
    expect((await store()).get()).toMatchObject({ theme: 'dark', mode: 'yolo', maxTurns: 7 })
  })

  test('that are still being written delay `applied`, listeners and failures included', async () => {
    const settings = await store()
    const heard: string[] = []
    settings.onChanged(({ theme }) => heard.push(theme))
    const failing = settings.set({ maxTurns: -1 }).catch((error: unknown) => error)
    void settings.set({ theme: 'dark' })
    expect(settings.get().theme).toBe('system')
    await settings.applied()
    expect(heard).toEqual(['dark'])
    expect(await failing).toBeInstanceOf(Error)
  })

  test('of another process apply as soon as they are written, and are never overwritten', async () => {
    const [mine, other] = [await store(), await store()]
    const told = Promise.withResolvers<void>()
    const stop = mine.follow()
    mine.onChanged((settings) => {
      if (settings.disabledTools.blade?.length === 1) told.resolve()
    })
    await other.set({ disabledTools: { blade: ['run_command'] } })
    await told.promise
    expect(mine.get().disabledTools).toEqual({ blade: ['run_command'] })
    stop()
    await other.set({ maxTurns: 9 })
    await mine.set({ theme: 'dark' })
    expect((await store()).get()).toMatchObject({ theme: 'dark', maxTurns: 9 })
  })

  test('an incomplete file of another program is not replaced, and the settings before it apply', async () => {
    const settings = await store()
    await settings.set({ theme: 'dark' })
    await writeFile(join(folder, 'settings.json'), '{"theme": "li')
    await expect(settings.set({ maxTurns: 9 })).rejects.toMatchObject({ code: 'conflict' })
    expect(settings.get()).toMatchObject({ theme: 'dark', maxTurns: 50 })
    await writeFile(join(folder, 'settings.json'), '{"theme": "light"}')
    await settings.set({ maxTurns: 9 })
    expect(settings.get()).toMatchObject({ theme: 'light', maxTurns: 9 })
  })

  test.each(['Safe', 'Cautious', 'Paranoid', ' YOLO '])("Rustant's mode %s is accepted", async (mode) => {
    await writeFile(join(folder, 'settings.json'), JSON.stringify({ mode }))
    expect((await store()).get().mode).toBe(mode.trim().toLowerCase())
    expect(notices).toEqual([])
  })

  test('invalid values are refused and nothing changes', async () => {
    const settings = await store()
    await expect(settings.set({ temperature: 9 })).rejects.toThrow()
    expect(settings.get().temperature).toBe(0.2)
    await settings.set({ temperature: 1 })
    expect(settings.get().temperature).toBe(1)
  })

  test.each(['{"theme": "dark"', '[]', '', '"x"', `{"a": ${'['.repeat(50_000)}`])(
    'a file that is no settings stays as it is, and every call asks: %#',
    async (text) => {
      await writeFile(join(folder, 'settings.json'), text)
      const settings = await store()
      expect(settings.get().theme).toBe('system')
      expect(settings.rulesProblem()).toContain('settings.json')
      expect(notices).toEqual([expect.stringContaining('settings.json')])
      await expect(settings.set({ theme: 'dark' })).rejects.toMatchObject({ code: 'conflict' })
      expect(await readFile(join(folder, 'settings.json'), 'utf8')).toBe(text)
      expect(await readdir(folder)).toEqual(['settings.json'])
    },
  )

  const deny = { decision: 'deny', match: 'prefix', pattern: 'rm', folder: null }
  const bad = (value: object) => JSON.stringify({ approval: { rules: [deny] }, ...value })
  test.each<[string, string, string | undefined]>([
    ['a byte order mark', `\uFEFF${bad({})}`, undefined],
    ['a comment and a comma at the end', `// mine\n${bad({}).slice(0, -1)},}`, undefined],
    ['a wrong type', bad({ editor: { fontSize: 'big', tabSize: 8 } }), 'editor.fontSize'],
    ['a section of a wrong type', bad({ editor: 'big' }), 'editor'],
    ['an unknown word', bad({ theme: 'purple' }), 'theme'],
    ['a number out of range', bad({ temperature: 99 }), 'temperature'],
    ['a wrong endpoint', bad({ endpoints: [{ name: 1 }] }), 'endpoints.0'],
    ['null', bad({ web: null }), 'web'],
    ['a key that is no setting', bad({ 'editor.fontSize': 12 }), 'editor.fontSize'],
    ['a key of a section that is no setting', bad({ editor: { fontsize: 12 } }), 'editor.fontsize'],
    ['a schema for editors', bad({ $schema: './schema.json' }), undefined],
    ['a key that is there twice', `{"theme": "dark", ${bad({ theme: 'light' }).slice(1)}`, 'theme'],
  ])('%s costs no rule, and is named: %s', async (_what, text, named) => {
    await writeFile(join(folder, 'settings.json'), text)
    const settings = await store()
    expect(settings.get().approval.rules).toEqual([deny])
    expect(settings.rulesProblem()).toBeUndefined()
    expect(await readFile(join(folder, 'settings.json'), 'utf8')).toBe(text)
    expect(notices).toEqual(named === undefined ? [] : [expect.stringContaining(named)])
  })

  test.each<[string, string]>([
    ['rules under a misspelt section', JSON.stringify({ Approval: { rules: [deny] } })],
    ['rules under a key with a dot', JSON.stringify({ 'approval.rules': [deny] })],
    ['rules under a misspelt key', JSON.stringify({ approval: { Rules: [deny] } })],
    ['a rule', JSON.stringify({ approval: { rules: [deny, { ...deny, decision: 'refuse' }] } })],
    ['a rule without a field', JSON.stringify({ approval: { rules: [deny, { decision: 'deny' }] } })],
    ['the list of rules', JSON.stringify({ approval: { rules: { deny: 'rm' } } })],
    ['the section', JSON.stringify({ approval: [] })],
    ['a protected path', JSON.stringify({ approval: { protectedPaths: [1] } })],
    ['the section, which is there twice', `{"approval": {"rules": [${JSON.stringify(deny)}]}, "approval": {}}`],
  ])('while %s is invalid, every call asks, and a change keeps what is in the file', async (_what, text) => {
    await writeFile(join(folder, 'settings.json'), text)
    const settings = await store()
    expect(settings.rulesProblem()).toContain('approval')
    expect(notices).toHaveLength(1)
  })

  test('an invalid value stays in the file when another one is changed, and goes when it is replaced', async () => {
    const stored = async () =>
      JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8')) as Record<string, unknown>
    const wrong = { ...deny, decision: 'refuse' }
    await writeFile(
      join(folder, 'settings.json'),
      bad({ editor: { fontSize: 'big' }, approval: { rules: [wrong, deny] } }),
    )
    const settings = await store()
    await settings.set({ theme: 'dark' })
    expect(await stored()).toMatchObject({
      theme: 'dark',
      editor: { fontSize: 'big' },
      approval: { rules: [deny, wrong] },
    })
    expect(settings.rulesProblem()).toBeDefined()
    await settings.set({ editor: { ...settings.get().editor, fontSize: 15 } })
    expect(await stored()).toMatchObject({ editor: { fontSize: 15 }, approval: { rules: [deny, wrong] } })
  })

  test('those of this process override the stored ones and are never stored', async () => {
    await (await store()).set({ mode: 'cautious' })
    const settings = await store({ mode: 'yolo', maxTurns: 3 })
    await settings.set({ theme: 'dark' })
    expect(settings.get()).toMatchObject({ mode: 'yolo', maxTurns: 3, theme: 'dark' })
    expect((await store()).get()).toMatchObject({ mode: 'cautious', maxTurns: 50, theme: 'dark' })
    await settings.set({ mode: 'plan' })
    expect(settings.get().mode).toBe('plan')
  })

  test('listeners are called until they unsubscribe', async () => {
    const settings = await store()
    const heard: string[] = []
    const leave = settings.onChanged((changed) => heard.push(changed.theme))
    await settings.set({ theme: 'dark' })
    leave()
    await settings.set({ theme: 'light' })
    expect(heard).toEqual(['dark'])
  })
})

describe('secrets', () => {
  test('are in a separate file that only the user can read', async () => {
    const secrets = await createFileSecretStore(folder, notice)
    await secrets.set('one', 's3cret')
    await secrets.set('two', 'other')
    await secrets.set('two', null)
    const again = await createFileSecretStore(folder, notice)
    expect([await again.get('one'), await again.get('two'), await again.get('toString')]).toEqual([
      's3cret',
      undefined,
      undefined,
    ])
    expect(await modeOf('secrets.json')).toBe(0o600)
  })
})

describe('recent folders', () => {
  test('are listed latest first, once each, at most twenty', async () => {
    const recents = await createRecentFolders(folder, notice)
    for (let n = 0; n < 25; n++) await recents.add(`/w/${n}`)
    await recents.add('/w/10')
    await recents.forget('/w/24')
    const list = (await createRecentFolders(folder, notice)).list()
    expect(list.slice(0, 2)).toEqual(['/w/10', '/w/23'])
    expect(list).toHaveLength(19)
  })

  test('are reported after each change, and can be cleared', async () => {
    const announced: string[][] = []
    const recents = await createRecentFolders(folder, notice, (folders) => announced.push(folders))
    await recents.add('/a')
    await recents.add('/b')
    await recents.forget('/a')
    await recents.clear()
    expect(announced).toEqual([['/a'], ['/b', '/a'], ['/b'], []])
    expect((await createRecentFolders(folder, notice)).list()).toEqual([])
  })
})
