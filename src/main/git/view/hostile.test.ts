import { copyFile, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { gitFolder, type GitFolder } from './testing/gitFolder.ts'

let folder: GitFolder
let outside: Awaited<ReturnType<typeof temporaryFolder>>
const signal = new AbortController().signal

/** Names of the programs that were started. */
const started = () => readdir(path.join(outside.root, 'marks'))

/** Creates a program that records its start, and returns its path. */
async function trap(name: string, script = 'cat'): Promise<string> {
  const file = path.join(outside.root, name)
  await writeFile(file, `#!/bin/sh\ntouch "${path.join(outside.root, 'marks', name)}"\n${script}\n`, { mode: 0o755 })
  return file
}

beforeEach(async () => {
  outside = await temporaryFolder({ 'marks/': '', 'hooks/': '' })
  folder = await gitFolder()
  await folder.write({ 'a.txt': 'two\n' })
  await folder.git('commit', '-q', '-a', '-m', 'second')
  await folder.git('branch', 'other')
  await folder.write({
    'a.txt': 'three\n',
    '.gitattributes': 'a.txt filter=f\n* diff=d merge=m\n',
    'b.txt': 'new\n',
    'sub/b.txt': 'changed\n',
  })
  const settings: Record<string, string> = {
    'core.fsmonitor': await trap('fsmonitor'),
    'core.pager': await trap('pager'),
    'core.editor': await trap('editor'),
    'core.sshCommand': await trap('ssh'),
    'core.askPass': await trap('askpass'),
    'credential.helper': await trap('credential'),
    'diff.external': await trap('external'),
    'diff.d.textconv': await trap('textconv', 'cat "$1"'),
    'diff.d.command': await trap('command'),
    'filter.f.clean': await trap('clean'),
    'filter.f.smudge': await trap('smudge'),
    'merge.m.driver': await trap('merge'),
    'commit.gpgSign': 'true',
    'tag.gpgSign': 'true',
    'gpg.program': await trap('gpg'),
    'log.showSignature': 'true',
    'core.hooksPath': path.join(outside.root, 'hooks'),
    // Git runs it since version 2.54, and older versions ignore it.
    'hook.configured.command': await trap('configured'),
  }
  for (const [key, value] of Object.entries(settings)) await folder.git('config', key, value)
  const hooks = [
    'pre-commit',
    'commit-msg',
    'post-commit',
    'post-checkout',
    'reference-transaction',
    'post-index-change',
  ]
  for (const hook of hooks) await folder.git('config', '--add', 'hook.configured.event', hook)
  for (const hook of hooks) await copyFile(await trap(`hook-${hook}`, 'exit 0'), path.join(outside.root, 'hooks', hook))
})
afterEach(async () => {
  await folder.remove()
  await outside.remove()
})

async function readEverything(): Promise<void> {
  const { service, id } = folder
  await service.repositories.list(true)
  await service.status(id, true)
  for (const version of ['working', 'index', 'head'] as const) await service.fileAt(id, 'a.txt', version, signal)
  await service.log(id, { all: true, skip: 0, limit: 10 })
  await service.log(id, { all: false, text: 'second', path: 'a.txt', skip: 0, limit: 10 })
  await service.fileHistory(id, 'a.txt', { skip: 0, limit: 10 })
  await service.commitDetails(id, 'HEAD')
  await service.compare(id, 'HEAD~1', 'HEAD')
  await service.blame(id, 'a.txt')
  await service.references(id)
  await service.stashes(id)
}

it('starts no program through background reads, neither in a trusted nor in a restricted folder', async () => {
  await readEverything()
  expect(await started()).toEqual([])
  folder.trusted = false
  await readEverything()
  expect(await started()).toEqual([])
})

it('starts no program through actions in a restricted folder', async () => {
  folder.trusted = false
  const { service, id } = folder
  await service.stage(id, ['sub/b.txt', 'b.txt'])
  await service.unstage(id, ['b.txt'])
  const line = { before: { line: 1, text: [] }, after: { line: 1, text: ['new'] } }
  await service.applyLines(id, 'b.txt', 'stage', [line])
  await service.commit(id, 'o', { message: 'm', amend: false, signOff: true, all: false, skipHooks: false })
  // Without the filter, git would store other content.
  await expect(service.stage(id, ['a.txt'])).rejects.toMatchObject({ reason: 'restricted' })
  await expect(service.stage(id, undefined)).rejects.toMatchObject({ reason: 'restricted' })
  await folder.write({ 'a.txt': 'four\n' })
  await service.discard(id, ['a.txt'], 'changes')
  await service.createBranch(id, { name: 'next', switch: true })
  await service.switchTo(id, 'o', { target: 'other', track: false, detach: false })
  await service.createTag(id, { name: 'v1', message: 'one' })
  await folder.write({ 'a.txt': 'five\n' })
  await service.stash(id, 'o', { message: '', untracked: true })
  expect(await started()).toEqual([])
  for (const act of [
    () => service.merge(id, 'o', 'next'),
    () => service.fetch(id, 'o', { prune: false }),
    () => service.pull(id, 'o'),
    () => service.push(id, 'o', { setUpstream: true, force: false, tags: false }),
    () => service.sync(id, 'o'),
  ])
    await expect(act()).rejects.toMatchObject({ reason: 'restricted' })
  expect(await started()).toEqual([])
})

it('starts the programs of the user through actions in a trusted folder, which shows that the tests can fail', async () => {
  const { service, id } = folder
  await folder.git('config', '--unset', 'core.fsmonitor')
  await service.stage(id, ['a.txt'])
  await expect(
    service.commit(id, 'o', { message: 'm', amend: false, signOff: false, all: false, skipHooks: false }),
  ).rejects.toThrow()
  expect(await started()).toEqual(expect.arrayContaining(['clean', 'gpg', 'hook-pre-commit']))
})
