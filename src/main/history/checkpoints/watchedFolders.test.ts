import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { mountPointsWithin } from './surroundings.ts'
import { createWatchedFolders, type WatchedFolders } from './watchedFolders.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let folders: WatchedFolders

const onLinux = test.runIf(process.platform === 'linux')
const at = (name: string) => path.join(folder.root, name)

beforeEach(async () => {
  folder = await temporaryFolder({ 'a/f.txt': 'a', 'b/f.txt': 'b', 'c/f.txt': 'c' })
  folders = createWatchedFolders({ root: folder.root })
})
afterEach(() => folder.remove())

/** Lists everything. @returns the time since which changes are known */
async function listed(): Promise<number> {
  const { time } = await folders.changesSince(undefined)
  for (const place of ['.', 'a', 'b', 'c']) folders.list(place, undefined)
  return time
}

/** Causes as many events at once as fill the queue, so that later ones are dropped. */
function fillQueue(place: string): void {
  const maxEvents = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
  const [one, other] = [at(`${place}/one`), at(`${place}/other`)]
  for (let count = 0; count < maxEvents; count += 2) {
    writeFileSync(one, '')
    writeFileSync(other, '')
  }
  rmSync(one)
  rmSync(other)
}

onLinux('a change whose event was dropped is not missed, nor one beside it', async () => {
  const time = await listed()
  fillQueue('a')
  writeFileSync(at('c/f.txt'), 'changed')
  await delay(100)
  expect((await folders.changesSince(time)).paths).toBeUndefined()
  const again = await listed()
  appendFileSync(at('c/f.txt'), 'changed')
  expect((await folders.changesSince(again)).paths).toEqual(['c/f.txt'])
})

onLinux('events of a folder that was moved count: they can fill the queue too', async () => {
  const time = await listed()
  renameSync(at('a'), at('moved'))
  fillQueue('moved')
  writeFileSync(at('c/f.txt'), 'changed')
  await delay(100)
  expect((await folders.changesSince(time)).paths).toBeUndefined()
})

onLinux('a full queue delays the next answer, and later changes are known again', async () => {
  const time = await listed()
  fillQueue('a')
  // The change of the marker is dropped too.
  expect((await folders.changesSince(time)).paths).toBeUndefined()
  const again = await listed()
  writeFileSync(at('b/f.txt'), 'changed')
  expect((await folders.changesSince(again)).paths).toEqual(['b/f.txt'])
})

onLinux('a folder that is missing when it is listed does not hide changes of others', async () => {
  const { time } = await folders.changesSince(undefined)
  for (const place of ['.', 'a', 'b']) folders.list(place, undefined)
  expect(folders.list('missing', undefined)).toEqual({ kind: 'failed', code: 'ENOENT' })
  mkdirSync(at('missing'))
  expect((await folders.changesSince(time)).paths).toEqual(['missing'])
})

test('finds mount points in a folder', () => {
  const mounts = [
    '22 1 254:0 / / rw - ext4 /dev/vda rw',
    '40 22 254:0 /x /work/my\\040code/a\\134b rw - ext4 /dev/vda rw',
    '41 22 0:30 / /work/my\\040code rw - tmpfs tmpfs rw',
    '42 22 0:31 / /work/my\\040code2/x rw - tmpfs tmpfs rw',
    '',
  ]
  expect(mountPointsWithin('/work/my code', mounts.join('\n'))).toEqual(['a\\b'])
})
