import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createCore, type Core } from '../../core.ts'
import { dataFolderAnswers, home, root, userData } from './answers.ts'

const never = new AbortController().signal
const versions = (await readdir(import.meta.dirname, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
const resources = `${import.meta.dirname}/../../../../resources`
const open = () => createCore({ platform: { host: 'browser', version: 'test', userData, resources } })

let core: Core | undefined
beforeEach(async () => {
  if (existsSync(home)) throw new Error(`${home} exists already. Delete it if no other run of this test uses it.`)
  await mkdir(home)
})
afterEach(async () => {
  await core?.dispose()
  core = undefined
  await rm(home, { recursive: true, force: true })
})

// The store identifies folders by their real path, and /tmp is a real path only on Linux.
describe.skipIf(process.platform !== 'linux')('a data folder of an earlier version', () => {
  it.each(versions)('of %s returns the same responses as that version', async (version) => {
    await cp(`${import.meta.dirname}/${version}/user`, userData, { recursive: true })
    await cp(`${import.meta.dirname}/${version}/project`, root, { recursive: true })
    const before: object = JSON.parse(await readFile(`${import.meta.dirname}/${version}/answers.json`, 'utf8'))
    core = await open()
    await core.openWorkspace(root)
    await core.handlers['trust.decide']({ choice: 'folder' }, never)
    // Converted to JSON, as for a window. Later versions add settings.
    expect(JSON.parse(JSON.stringify(await dataFolderAnswers(core)))).toMatchObject(before)
  })

  it.each(versions)('of %s restores its checkpoints, undoes its edits and imports its exports', async (version) => {
    await cp(`${import.meta.dirname}/${version}/user`, userData, { recursive: true })
    await cp(`${import.meta.dirname}/${version}/project`, root, { recursive: true })
    core = await open()
    await core.openWorkspace(root)
    const { handlers } = core
    const listed = await handlers['conversations.list']({}, never)
    const id = String(listed.find(({ title }) => title === 'Rename two')?.id)
    const { items } = await handlers['conversations.open']({ id }, never)
    const made = items.flatMap((item) =>
      item.kind === 'tool' && item.name === 'write_file' && item.result?.view?.kind === 'diff'
        ? [item.result.view.editId]
        : [],
    )
    await handlers['edits.undo']({ editId: String(made[0]) }, never)
    expect(existsSync(`${root}/made.txt`)).toBe(false)
    const first = items.find((item) => item.kind === 'user')
    await handlers['conversations.restore']({ id, itemId: String(first?.id), files: true, conversation: false }, never)
    expect(await readFile(`${root}/a.txt`, 'utf8')).toBe('one\ntwo\nthree\n')
    const { text } = await handlers['conversations.export']({ id, format: 'json' }, never)
    expect((await handlers['conversations.import']({ text }, never)).items).toHaveLength(
      (await handlers['conversations.open']({ id }, never)).items.length,
    )
  })

  it('of a newer version is refused with a clear error and stays unchanged', async () => {
    await mkdir(userData)
    const db = new DatabaseSync(`${userData}/tizona.db`)
    db.exec('PRAGMA user_version = 1000; CREATE TABLE later (id TEXT); INSERT INTO later VALUES (1)')
    db.close()
    await expect(open()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/newer version of Tizona/),
      next: expect.stringMatching(/TIZONA_USER_DATA/),
    })
    const after = new DatabaseSync(`${userData}/tizona.db`)
    expect(after.prepare('SELECT count(*) AS rows FROM later').get()).toEqual({ rows: 1 })
    after.close()
  })
})
