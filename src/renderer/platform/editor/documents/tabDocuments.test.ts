import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Bridge } from '../../bridge/bridge.ts'
import type { CreateBuffer } from './textBuffer.ts'
import { createDocuments } from './tabDocuments.ts'
import { documentsOnDisk, plainBuffer } from '../testing/documentsOnDisk.ts'

describe('an open file', () => {
  it('is dirty while its text differs from the disk, and clean after undo', async () => {
    const { documents, buffer } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    expect(documents.get('a.txt')?.dirty).toBe(true)
    buffer('a.txt').undo()
    expect(documents.get('a.txt')?.dirty).toBe(false)
  })

  it('is written to disk and clean after a save', async () => {
    const { documents, buffer, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    await documents.save('a.txt')
    expect(disk.get('a.txt')?.text).toBe('two')
    expect(documents.get('a.txt')?.dirty).toBe(false)
  })

  it('stays dirty if the user types during a save', async () => {
    const { documents, buffer, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    const saving = documents.save('a.txt')
    await Promise.resolve()
    buffer('a.txt').type('three')
    await saving
    expect(documents.get('a.txt')?.dirty).toBe(documents.buffer('a.txt')?.text() !== disk.get('a.txt')?.text)
  })

  it('is reloaded from disk while it is clean, as one undo step', async () => {
    const { documents, buffer, write } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    write('a.txt', 'two')
    await documents.checkDisk('a.txt')
    expect(buffer('a.txt').text()).toBe('two')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
    buffer('a.txt').undo()
    expect(buffer('a.txt').text()).toBe('one')
    expect(documents.get('a.txt')?.dirty).toBe(true)
  })

  it('sends the text that another program replaces or deletes to the local history, unless it is unsaved', async () => {
    const { documents, buffer, write, disk, replaced } = documentsOnDisk({ 'a.txt': 'one', 'b.txt': 'b' })
    await documents.open('a.txt')
    await documents.open('b.txt')
    write('a.txt', 'two')
    await documents.checkDisk('a.txt')
    disk.delete('b.txt')
    await documents.checkDisk('b.txt')
    await documents.checkDisk('b.txt')
    buffer('a.txt').type('mine')
    await documents.save('a.txt')
    await documents.checkDisk('a.txt')
    buffer('a.txt').type('unsaved')
    write('a.txt', 'theirs')
    await documents.checkDisk('a.txt')
    expect(replaced).toEqual([
      ['a.txt', 'one'],
      ['b.txt', 'b'],
    ])
  })

  it('keeps unsaved text when the file changes on disk, and does not overwrite the file', async () => {
    const { documents, buffer, write, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('mine')
    write('a.txt', 'theirs')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, disk: 'changed' })
    await expect(documents.save('a.txt')).rejects.toMatchObject({ code: 'changed_on_disk' })
    expect(disk.get('a.txt')?.text).toBe('theirs')
  })

  it('overwrites a changed file if forced', async () => {
    const { documents, buffer, write, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('mine')
    write('a.txt', 'theirs')
    await documents.save('a.txt', { force: true })
    expect(disk.get('a.txt')?.text).toBe('mine')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
  })

  it('reverts to the text on disk, and undo restores the unsaved text', async () => {
    const { documents, buffer, write } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('mine')
    write('a.txt', 'theirs')
    await documents.checkDisk('a.txt')
    await documents.revert('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
    expect(buffer('a.txt').text()).toBe('theirs')
    buffer('a.txt').undo()
    expect(buffer('a.txt').text()).toBe('mine')
  })

  it('does not report its own save as a change by another program', async () => {
    const { documents, buffer } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    const saving = documents.save('a.txt')
    // The watcher reports before the response to the save arrives.
    const checking = documents.checkDisk('a.txt')
    await Promise.all([saving, checking])
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
  })

  it('is not in conflict if the file on disk has the same text', async () => {
    const { documents, buffer, write } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    write('a.txt', 'two')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
  })

  it('is marked as deleted, and can be saved again', async () => {
    const { documents, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    disk.delete('a.txt')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')?.disk).toBe('deleted')
    await documents.save('a.txt')
    expect(disk.get('a.txt')?.text).toBe('one')
    expect(documents.get('a.txt')?.disk).toBe('same')
  })

  it('is not overwritten if another program created it again after it was deleted', async () => {
    const { documents, buffer, disk, write } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('mine')
    disk.delete('a.txt')
    await documents.checkDisk('a.txt')
    write('a.txt', 'theirs')
    await expect(documents.save('a.txt')).rejects.toMatchObject({ code: 'changed_on_disk' })
    expect(disk.get('a.txt')?.text).toBe('theirs')
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, disk: 'changed' })
  })

  it('is created again by a save, whether its deletion was noticed or not', async () => {
    const { documents, buffer, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('mine')
    disk.delete('a.txt')
    await documents.save('a.txt')
    expect(disk.get('a.txt')?.text).toBe('mine')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
  })

  it('is not in conflict if the file was written again with the text that the changes are based on', async () => {
    const { documents, buffer, disk, write, synced } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('mine\n')
    write('a.txt', 'one')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, disk: 'same' })
    expect(synced.get('a.txt')?.text).toBe('mine\n')
    write('a.txt', 'one')
    await documents.save('a.txt')
    expect(disk.get('a.txt')?.text).toBe('mine\n')
    // With other line endings it is another file.
    buffer('a.txt').type('mine two')
    write('a.txt', 'mine\n', '\r\n')
    await expect(documents.save('a.txt')).rejects.toMatchObject({ code: 'changed_on_disk' })
  })

  it('takes over line endings that another program changed, and keeps those that the user chose', async () => {
    const { documents, buffer, disk, write } = documentsOnDisk({ 'a.txt': 'one\n' })
    await documents.open('a.txt')
    write('a.txt', 'one\n', '\r\n')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, format: { eol: '\r\n' } })
    buffer('a.txt').type('one\ntwo\n')
    await documents.save('a.txt')
    expect(disk.get('a.txt')?.eol).toBe('\r\n')
    documents.setFormat('a.txt', { eol: '\n' })
    write('a.txt', 'one\ntwo\n', '\r\n')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, format: { eol: '\n' } })
  })

  it('is open once, at its real path, if it is opened through a link', async () => {
    const { documents, buffer, links, realPaths } = documentsOnDisk({ 'a.txt': 'one' })
    links.set('link.txt', 'a.txt')
    expect(await documents.open('link.txt')).toBe('a.txt')
    expect(documents.paths()).toEqual(['a.txt'])
    buffer('a.txt').type('mine')
    expect(await documents.open('link.txt')).toBe('a.txt')
    expect(buffer('a.txt').text()).toBe('mine')
    expect(documents.get('a.txt')?.dirty).toBe(true)
    expect(realPaths).toEqual([
      ['link.txt', 'a.txt'],
      ['link.txt', 'a.txt'],
    ])
  })

  it('has the failure if it cannot be read, and is read again when it exists', async () => {
    const { documents, write } = documentsOnDisk({})
    await documents.open('a.txt')
    expect(documents.get('a.txt')).toMatchObject({
      status: 'failed',
      failure: { code: 'not_found', next: 'Check the path.' },
    })
    write('a.txt', 'now')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')?.status).toBe('ready')
  })

  it('is dirty with other line endings, and saved with them', async () => {
    const { documents, disk } = documentsOnDisk({ 'a.txt': 'one\n' })
    await documents.open('a.txt')
    documents.setFormat('a.txt', { eol: '\r\n' })
    expect(documents.get('a.txt')?.dirty).toBe(true)
    await documents.save('a.txt')
    expect(disk.get('a.txt')?.eol).toBe('\r\n')
    expect(documents.get('a.txt')?.dirty).toBe(false)
  })
})

describe('the mirror of unsaved text', () => {
  it('sends the dirty state immediately, the text after a delay, and nothing after a save', async () => {
    const { documents, buffer, synced } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    expect(synced.get('a.txt')).toEqual({ open: true, dirty: true, text: 'two' })
    buffer('a.txt').type('three')
    await vi.waitFor(() => expect(synced.get('a.txt')?.text).toBe('three'))
    await documents.save('a.txt')
    expect(synced.get('a.txt')).toEqual({ open: true, dirty: false, text: null })
    documents.close('a.txt')
    expect(synced.get('a.txt')).toEqual({ open: false, dirty: false, text: null })
  })

  it('is restored after a reload and stays unsaved', async () => {
    const { documents, syncMessages } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.restore('a.txt', { text: 'typed before', stamp: '1' })
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, disk: 'same' })
    expect(documents.buffer('a.txt')?.text()).toBe('typed before')
    // A clean state in between would make main delete its copy of the text.
    expect(syncMessages.map(({ dirty }) => dirty)).not.toContain(false)
    expect(syncMessages.at(-1)).toMatchObject({ dirty: true, text: 'typed before', stamp: '1' })
  })

  it('counts as unsaved while its file loads, so that closing the tab asks', async () => {
    const { documents, disk, syncMessages } = documentsOnDisk({ 'a.txt': 'one' })
    const restoring = documents.restore('a.txt', { text: 'typed before', stamp: '1' })
    expect(documents.dirtyPaths()).toEqual(['a.txt'])
    documents.syncAll()
    expect(syncMessages).toEqual([])
    await documents.save('a.txt')
    await restoring
    expect(disk.get('a.txt')?.text).toBe('typed before')
  })

  it('is not restored again after its tab was closed while it loaded', async () => {
    const { documents } = documentsOnDisk({ 'a.txt': 'one' })
    const restoring = documents.restore('a.txt', { text: 'typed before', stamp: '1' })
    documents.close('a.txt')
    await restoring
    await documents.open('a.txt')
    expect(documents.buffer('a.txt')?.text()).toBe('one')
    expect(documents.get('a.txt')?.dirty).toBe(false)
  })

  it('keeps the chosen line endings', async () => {
    const { documents } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.restore('a.txt', { text: 'one', stamp: '1', format: { encoding: 'utf8', eol: '\r\n' } })
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, format: { eol: '\r\n' } })
  })

  it('is clean after a restart if it was saved', async () => {
    const { documents, synced } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.restore('a.txt', { text: 'one', stamp: 'before the save' })
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
    expect(synced.get('a.txt')).toMatchObject({ open: true, dirty: false })
  })

  it('is restored for a deleted file, and a save creates the file again', async () => {
    const { documents, disk, syncMessages } = documentsOnDisk({})
    await documents.restore('a.txt', { text: 'typed before', stamp: '1' })
    expect(documents.get('a.txt')).toMatchObject({ status: 'ready', dirty: true, disk: 'deleted' })
    expect(syncMessages.map(({ dirty }) => dirty)).not.toContain(false)
    await documents.save('a.txt')
    expect(disk.get('a.txt')?.text).toBe('typed before')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
  })

  it('is in conflict after a reload if the file changed on disk', async () => {
    const { documents } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.restore('a.txt', { text: 'typed before', stamp: 'an older stamp' })
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, disk: 'changed' })
    await expect(documents.save('a.txt')).rejects.toMatchObject({ code: 'changed_on_disk' })
  })

  it('moves with a renamed file, with its undo steps and what is typed meanwhile', async () => {
    const { documents, buffer, move, synced, syncMessages } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    move('a.txt', 'b.txt')
    const sent = syncMessages.length
    const renaming = documents.rename('a.txt', 'b.txt')
    buffer('a.txt').type('three')
    await renaming
    expect(documents.paths()).toEqual(['b.txt'])
    expect(documents.get('b.txt')).toMatchObject({ path: 'b.txt', dirty: true, disk: 'same' })
    expect(buffer('b.txt').text()).toBe('three')
    // The text is at no time only in the window.
    expect(syncMessages.slice(sent).map(({ path, open }) => [path, open])).toEqual([
      ['b.txt', true],
      ['a.txt', false],
    ])
    buffer('b.txt').type('four')
    await vi.waitFor(() => expect(synced.get('b.txt')?.text).toBe('four'))
    for (let step = 0; step < 3; step += 1) buffer('b.txt').undo()
    expect(buffer('b.txt').text()).toBe('one')
    expect(documents.get('b.txt')?.dirty).toBe(false)
  })

  it('gets another path with its undo steps when the folder becomes one of several', async () => {
    const { documents, buffer, move } = documentsOnDisk({ 'x.ts': 'outer', 'api/x.ts': 'inner' })
    await documents.open('x.ts')
    await documents.open('api/x.ts')
    buffer('x.ts').type('typed')
    for (const path of ['api/x.ts', 'x.ts']) move(path, `api/${path}`)
    await documents.idle()
    documents.moveAll((path) => `api/${path}`)
    expect(documents.paths().toSorted()).toEqual(['api/api/x.ts', 'api/x.ts'])
    expect(buffer('api/api/x.ts').text()).toBe('inner')
    expect(buffer('api/x.ts').text()).toBe('typed')
    buffer('api/x.ts').undo()
    expect(documents.get('api/x.ts')).toMatchObject({ dirty: false, disk: 'same' })
  })

  it('of a deleted file is kept when another file gets its name', async () => {
    const { documents, buffer, disk, move } = documentsOnDisk({ 'a.txt': 'one', 'b.txt': 'other' })
    await documents.open('a.txt')
    await documents.open('b.txt')
    buffer('b.txt').type('mine')
    disk.delete('b.txt')
    move('a.txt', 'b.txt')
    await documents.rename('a.txt', 'b.txt')
    expect(buffer('b.txt').text()).toBe('mine')
    expect(documents.get('b.txt')).toMatchObject({ dirty: true, disk: 'changed' })
  })

  it('stays in conflict when a file that changed on disk is renamed', async () => {
    const { documents, buffer, write, move, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('mine')
    write('a.txt', 'theirs')
    await documents.checkDisk('a.txt')
    move('a.txt', 'b.txt')
    await documents.rename('a.txt', 'b.txt')
    expect(documents.get('b.txt')).toMatchObject({ dirty: true, disk: 'changed' })
    await expect(documents.save('b.txt')).rejects.toMatchObject({ code: 'changed_on_disk' })
    expect(disk.get('b.txt')?.text).toBe('theirs')
  })

  it('moves with a renamed file', async () => {
    const { documents, buffer, move } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('typed')
    move('a.txt', 'b.txt')
    await documents.rename('a.txt', 'b.txt')
    expect(documents.paths()).toEqual(['b.txt'])
    expect(documents.get('b.txt')).toMatchObject({ dirty: true, disk: 'same' })
    expect(documents.buffer('b.txt')?.text()).toBe('typed')
  })
})

describe('opening a file always ends', () => {
  /** Documents whose reads and buffers the test resolves one by one. */
  function byHand() {
    const reads: PromiseWithResolvers<unknown>[] = []
    const request = (async (name: string) => {
      if (name !== 'files.read') return undefined
      const read = Promise.withResolvers<unknown>()
      reads.push(read)
      return read.promise
    }) as unknown as Bridge['request'] // The requests that documents send here.
    const made: string[] = []
    const options: { createBuffer: CreateBuffer } = {
      createBuffer: async ({ text }) => {
        made.push(text)
        return plainBuffer(text)
      },
    }
    const documents = createDocuments({ request, syncDelay: 0, createBuffer: (given) => options.createBuffer(given) })
    const file = (text: string) => ({
      path: 'a.txt',
      text,
      format: { encoding: 'utf8', eol: '\n' },
      stamp: '1',
      readonly: false,
    })
    return { documents, reads, made, options, file }
  }

  it('shows the latest read of a file that was closed and opened again in the meantime, with one buffer', async () => {
    const { documents, reads, made, file } = byHand()
    const first = documents.open('a.txt')
    await vi.waitFor(() => expect(reads).toHaveLength(1))
    documents.reset()
    const second = documents.open('a.txt')
    await vi.waitFor(() => expect(reads).toHaveLength(2))
    reads[1]?.resolve(file('later'))
    await second
    reads[0]?.resolve(file('earlier'))
    await first
    expect(made).toEqual(['later'])
    expect(documents.buffer('a.txt')?.text()).toBe('later')
    expect(documents.get('a.txt')?.status).toBe('ready')
  })

  it('shows a change on disk that happens while the editor for the text before it loads', async () => {
    const { documents, reads, options, file } = byHand()
    const { createBuffer } = options
    const editorLoaded = Promise.withResolvers<void>()
    options.createBuffer = async (given) => {
      await editorLoaded.promise
      return createBuffer(given)
    }
    const opened = documents.open('a.txt')
    await vi.waitFor(() => expect(reads).toHaveLength(1))
    reads[0]?.resolve(file('before'))
    const checked = documents.checkDisk('a.txt')
    editorLoaded.resolve()
    await opened
    await vi.waitFor(() => expect(reads).toHaveLength(2))
    reads[1]?.resolve({ ...file('after'), stamp: 'later' })
    await checked
    expect(documents.buffer('a.txt')?.text()).toBe('after')
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
  })

  it('waits for the latest read if an earlier one ends first', async () => {
    const { documents, reads, file } = byHand()
    void documents.open('a.txt')
    await vi.waitFor(() => expect(reads).toHaveLength(1))
    documents.reset()
    const second = documents.open('a.txt')
    await vi.waitFor(() => expect(reads).toHaveLength(2))
    reads[0]?.reject(new Error('gone'))
    const third = documents.open('a.txt')
    reads[1]?.resolve(file('later'))
    await Promise.all([second, third])
    expect(documents.get('a.txt')).toMatchObject({ status: 'ready', failure: undefined })
  })

  it('fails if the editor cannot be loaded, and restores the unsaved text on the next attempt', async () => {
    const { documents, reads, options } = byHand()
    const { createBuffer } = options
    options.createBuffer = () => Promise.reject(new Error('Failed to fetch dynamically imported module'))
    const restored = documents.restore('a.txt', { text: 'typed', stamp: '0' })
    await vi.waitFor(() => expect(reads).toHaveLength(1))
    reads[0]?.reject(new Error('unreadable'))
    await restored
    expect(documents.get('a.txt')).toMatchObject({
      status: 'failed',
      failure: { message: expect.stringContaining('dynamically imported') },
    })
    options.createBuffer = createBuffer
    const again = documents.retry('a.txt')
    await vi.waitFor(() => expect(reads).toHaveLength(2))
    reads[1]?.reject(new Error('unreadable'))
    await again
    expect(documents.buffer('a.txt')?.text()).toBe('typed')
    expect(documents.get('a.txt')).toMatchObject({ status: 'ready', dirty: true })
  })
})

describe('an untitled text', () => {
  const path = 'untitled:Untitled-1'
  const moveTabs = () => undefined

  it('is opened empty without reading a file, and is dirty while it has text', async () => {
    const { documents, buffer, synced } = documentsOnDisk({})
    await documents.open(path)
    expect(documents.get(path)).toMatchObject({ status: 'ready', dirty: false, disk: 'new' })
    buffer(path).type('Shopping list\nmilk')
    expect(documents.get(path)).toMatchObject({ dirty: true, title: 'Shopping list' })
    await vi.waitFor(() => expect(synced.get(path)).toMatchObject({ dirty: true, text: 'Shopping list\nmilk' }))
    await documents.checkDisk(path)
    expect(documents.get(path)).toMatchObject({ dirty: true, disk: 'new' })
    buffer(path).type('')
    expect(documents.get(path)).toMatchObject({ dirty: false, title: 'Untitled-1' })
  })

  it('gets a text although no tab shows it', async () => {
    const { documents, buffer } = documentsOnDisk({})
    await documents.open(path)
    documents.setText(path, 'results')
    expect(buffer(path).text()).toBe('results')
    expect(documents.get(path)).toMatchObject({ dirty: true, title: 'results' })
  })

  it('is restored with its text, and never written under its own name', async () => {
    const { documents, buffer, disk } = documentsOnDisk({})
    await documents.restore(path, { text: 'kept', stamp: '' })
    expect(buffer(path).text()).toBe('kept')
    expect(documents.get(path)).toMatchObject({ dirty: true, disk: 'new', title: 'kept' })
    await expect(documents.save(path)).rejects.toMatchObject({ code: 'invalid_path' })
    expect([...disk.keys()]).toEqual([])
  })

  it('becomes the file that it is saved as, with its undo steps', async () => {
    const { documents, buffer, disk, synced } = documentsOnDisk({})
    await documents.open(path)
    buffer(path).type('one')
    buffer(path).type('two')
    expect(await documents.saveAs(path, 'a.txt', { overwrite: false, moveTabs })).toBe('a.txt')
    expect(disk.get('a.txt')?.text).toBe('two')
    expect(documents.get(path)).toBeUndefined()
    expect(documents.get('a.txt')).toMatchObject({ dirty: false, disk: 'same' })
    expect(synced.get(path)).toMatchObject({ open: false })
    buffer('a.txt').undo()
    expect(documents.get('a.txt')?.dirty).toBe(true)
  })
})

describe('saving a file as another one', () => {
  const moveTabs = () => undefined

  it('leaves the old file as it was', async () => {
    const { documents, buffer, disk } = documentsOnDisk({ 'a.txt': 'one' })
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    await documents.saveAs('a.txt', 'b.txt', { overwrite: false, moveTabs })
    expect([disk.get('a.txt')?.text, disk.get('b.txt')?.text]).toEqual(['one', 'two'])
    expect(documents.paths()).toEqual(['b.txt'])
  })

  it('replaces an existing file, also one that is open, only on request', async () => {
    const { documents, buffer, disk } = documentsOnDisk({ 'a.txt': 'one', 'b.txt': 'other' })
    await documents.open('a.txt')
    await documents.open('b.txt')
    buffer('a.txt').type('two')
    buffer('b.txt').type('unsaved')
    await expect(documents.saveAs('a.txt', 'b.txt', { overwrite: false, moveTabs })).rejects.toMatchObject({
      code: 'changed_on_disk',
    })
    expect([disk.get('b.txt')?.text, buffer('a.txt').text(), buffer('b.txt').text()]).toEqual([
      'other',
      'two',
      'unsaved',
    ])
    await documents.saveAs('a.txt', 'b.txt', { overwrite: true, moveTabs })
    expect(disk.get('b.txt')?.text).toBe('two')
    expect(documents.get('b.txt')).toMatchObject({ dirty: false })
    expect(buffer('b.txt').text()).toBe('two')
  })

  it.each(['b.txt', 'link/b.txt'])(
    'does not drop the unsaved text of a tab whose file does not exist (%s)',
    async (to) => {
      const { documents, buffer, links, disk } = documentsOnDisk({ 'a.txt': 'one', 'b.txt': 'gone' })
      links.set('link/b.txt', 'b.txt')
      await documents.open('a.txt')
      await documents.open('b.txt')
      buffer('a.txt').type('two')
      buffer('b.txt').type('unsaved')
      disk.delete('b.txt')
      await expect(documents.saveAs('a.txt', to, { overwrite: false, moveTabs })).rejects.toMatchObject({
        code: 'changed_on_disk',
      })
      expect([buffer('a.txt').text(), buffer('b.txt').text()]).toEqual(['two', 'unsaved'])
      expect(documents.get('b.txt')?.dirty).toBe(true)
    },
  )

  it('keeps the file that a link leads to', async () => {
    const { documents, buffer, links } = documentsOnDisk({ 'a.txt': 'one' })
    links.set('link/b.txt', 'real/b.txt')
    await documents.open('a.txt')
    buffer('a.txt').type('two')
    expect(await documents.saveAs('a.txt', 'link/b.txt', { overwrite: false, moveTabs })).toBe('real/b.txt')
    expect(documents.paths()).toEqual(['real/b.txt'])
  })
})

describe('the line endings of new text', () => {
  const crlf = { eolOf: () => '\r\n' as const }

  it('are those of the settings, and files keep the ones that they have', async () => {
    const { documents, buffer, disk } = documentsOnDisk({ 'empty.txt': '', 'lf.txt': 'a\nb' }, crlf)
    await documents.open('empty.txt')
    await documents.open('lf.txt')
    await documents.open('untitled:Untitled-1')
    expect(documents.get('untitled:Untitled-1')).toMatchObject({ format: { eol: '\r\n' }, dirty: false })
    expect(documents.get('lf.txt')?.format.eol).toBe('\n')
    expect(documents.get('empty.txt')).toMatchObject({ format: { eol: '\r\n' }, dirty: false })
    buffer('empty.txt').type('one\ntwo')
    await documents.save('empty.txt')
    expect(disk.get('empty.txt')).toMatchObject({ text: 'one\ntwo', eol: '\r\n' })
    await documents.restore('new.txt', { text: 'a\n', stamp: '' })
    expect(documents.get('new.txt')).toMatchObject({ format: { eol: '\r\n' }, disk: 'new' })
  })

  it('give way to those of the disk', async () => {
    const { documents, write } = documentsOnDisk({ 'a.txt': 'a', 'b.txt': '' }, crlf)
    await documents.open('a.txt')
    await documents.open('b.txt')
    write('a.txt', 'a\nb')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ format: { eol: '\n' }, dirty: false })
    await documents.applyText({ path: 'b.txt', expected: '', text: 'one', saved: true, stamp: '8' })
    expect(documents.get('b.txt')).toMatchObject({ dirty: false })
    await documents.applyText({ path: 'b.txt', expected: 'one', text: 'one\n', saved: true, stamp: '9' })
    expect(documents.get('b.txt')).toMatchObject({ format: { eol: '\n' }, dirty: false })
  })

  it('do not make a rewritten file without line breaks a conflict', async () => {
    const { documents, buffer, write } = documentsOnDisk({ 'a.txt': 'a' }, crlf)
    await documents.open('a.txt')
    buffer('a.txt').type('mine')
    write('a.txt', 'a')
    await documents.checkDisk('a.txt')
    expect(documents.get('a.txt')).toMatchObject({ disk: 'same', dirty: true })
  })
})

it('a file outside the folder follows the disk and has no local history', async () => {
  const path = 'outside:///home/ada/notes.txt'
  const { documents, buffer, write, replaced } = documentsOnDisk({ [path]: 'one' })
  await documents.open(path)
  write(path, 'two')
  await documents.checkDisk(path)
  expect(buffer(path).text()).toBe('two')
  buffer(path).type('mine')
  write(path, 'three')
  await documents.checkDisk(path)
  expect(documents.get(path)).toMatchObject({ disk: 'changed', dirty: true })
  expect(replaced).toEqual([])
})

describe('an edit by the agent to a tab with other unsaved text', () => {
  const merging = '../../../../shared/diff/mergeEdits.ts'
  async function setup() {
    const world = documentsOnDisk({ 'a.txt': 'one\ntwo\n' })
    await world.documents.open('a.txt')
    world.buffer('a.txt').type('one\ntwo\nmine\n')
    vi.doMock(merging, () => {
      throw new TypeError('Failed to fetch dynamically imported module')
    })
    return { ...world, edit: { path: 'a.txt', expected: 'one\ntwo\n', text: 'ONE\ntwo\n' } }
  }
  afterEach(() => vi.doUnmock(merging))

  it('is a conflict if merging cannot be loaded, and the tab keeps its text', async () => {
    const { documents, buffer, edit } = await setup()
    await expect(documents.applyText({ ...edit, saved: false })).rejects.toMatchObject({ code: 'conflict' })
    expect(buffer('a.txt').text()).toBe('one\ntwo\nmine\n')
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, disk: 'same' })
  })

  it('marks the tab as changed on disk if the edit is already there', async () => {
    const { documents, buffer, write, edit } = await setup()
    write('a.txt', edit.text)
    await expect(documents.applyText({ ...edit, saved: true, stamp: '9' })).rejects.toMatchObject({ code: 'conflict' })
    await documents.idle()
    expect(buffer('a.txt').text()).toBe('one\ntwo\nmine\n')
    expect(documents.get('a.txt')).toMatchObject({ dirty: true, disk: 'changed' })
  })

  it('needs no merge once the text is the expected one', async () => {
    const { documents, buffer, edit } = await setup()
    const applied = documents.applyText({ ...edit, saved: false })
    buffer('a.txt').undo()
    expect(await applied).toEqual({ applied: true })
    expect(buffer('a.txt').text()).toBe('ONE\ntwo\n')
  })
})
