import { execFileSync } from 'node:child_process'
import { chmod, lstat, readlink, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pending, reviewedFolder, type ReviewedFolder } from './testing/reviewedFolder.ts'

const lines = (...texts: string[]) => texts.map((text) => `${text}\n`).join('')
let folder: ReviewedFolder
beforeEach(async () => {
  folder = await reviewedFolder({ 'a.txt': lines('1', '2', '3', '4', '5', '6', '7', '8', '9'), 'b.txt': lines('b') })
})
afterEach(() => folder.remove())

const hunksOf = async (path: string) => (await folder.request('review.hunks', { scope: pending, path })).hunkList
async function idAt(path: string, index: number): Promise<string> {
  const hunk = (await hunksOf(path))[index]
  if (!hunk) throw new Error(`${path} has no hunk ${index}.`)
  return hunk.id
}
const undo = (path: string, ...hunks: string[]) =>
  folder.request('review.undo', { scope: pending, targets: [{ path, ...(hunks.length > 0 && { hunks }) }] })
const keep = (path: string, ...hunks: string[]) =>
  folder.request('review.keep', { scope: pending, targets: [{ path, ...(hunks.length > 0 && { hunks }) }] })

describe('review of edits by tools', () => {
  it('lists an edit with its lines, keeps one hunk and undoes the other', async () => {
    await folder.call('write_file', {
      path: 'a.txt',
      content: lines('1', 'two', '3', '4', '5', '6', '7', '8', 'nine', '10'),
    })
    expect(await folder.listed()).toEqual(['a.txt changed +3 -2'])
    expect(await hunksOf('a.txt')).toMatchObject([
      { base: { start: 2, count: 1 }, current: { start: 2, count: 1 }, baseLines: ['2'] },
      { base: { start: 9, count: 1 }, current: { start: 9, count: 2 }, baseLines: ['9'] },
    ])
    expect(await keep('a.txt', await idAt('a.txt', 0))).toEqual({ changed: ['a.txt'], skipped: [] })
    expect(await undo('a.txt', await idAt('a.txt', 0))).toEqual({ changed: ['a.txt'], skipped: [] })
    expect(await folder.read('a.txt')).toBe(lines('1', 'two', '3', '4', '5', '6', '7', '8', '9'))
    expect(await folder.listed()).toEqual([])
  })
})

describe('review of commands', () => {
  it('lists created, changed, deleted, renamed and binary files, permissions and links of a command', async () => {
    await folder.write('old name.txt', lines('moved'))
    await folder.write('image.png', Buffer.from([0x89, 0x50, 0, 1]))
    await folder.command(
      'mkdir -p new/deep && echo x > new/deep/c.txt && echo more >> a.txt && rm b.txt && mv "old name.txt" moved.txt && printf "\\211PNG\\000\\002" > image.png && ln -s a.txt link && echo run > script.sh',
    )
    const { files, added, removed } = await folder.request('review.list', { scope: pending })
    expect(files).toMatchObject([
      { path: 'a.txt', change: 'changed', added: 1, removed: 0 },
      { path: 'b.txt', change: 'deleted', removed: 1 },
      { path: 'image.png', change: 'changed', content: 'binary' },
      { path: 'link', change: 'created', content: 'binary' },
      { path: 'moved.txt', change: 'renamed', renamedFrom: 'old name.txt', hunks: 0 },
      { path: 'new/deep/c.txt', change: 'created', added: 1 },
      { path: 'script.sh', change: 'created' },
    ])
    expect([added, removed]).toEqual([3, 1])
    expect(await folder.request('review.undo', { scope: pending, targets: 'all' })).toMatchObject({ skipped: [] })
    expect(await folder.listed()).toEqual([])
    expect(await folder.read('a.txt')).toBe(lines('1', '2', '3', '4', '5', '6', '7', '8', '9'))
    expect(await folder.read('b.txt')).toBe(lines('b'))
    expect(await folder.read('old name.txt')).toBe(lines('moved'))
    expect(await folder.read('moved.txt')).toBe(null)
    await expect(readlink(join(folder.root, 'link'))).rejects.toThrow('ENOENT')
    await expect(stat(join(folder.root, 'new'))).rejects.toThrow('ENOENT')
  })

  it('lists a renamed and changed file as one rename, and undoes it', async () => {
    await folder.command(`sed 's/2/two/' a.txt > moved.txt && rm a.txt b.txt && echo other > c.txt`)
    expect((await folder.request('review.list', { scope: pending })).files).toMatchObject([
      { path: 'b.txt', change: 'deleted' },
      { path: 'c.txt', change: 'created' },
      { path: 'moved.txt', change: 'renamed', renamedFrom: 'a.txt', added: 1, removed: 1 },
    ])
    await undo('moved.txt')
    expect(await folder.read('a.txt')).toBe(lines('1', '2', '3', '4', '5', '6', '7', '8', '9'))
    expect(await folder.read('moved.txt')).toBe(null)
  })

  it('leaves out what git ignores, unless a tool of the agent wrote it', async () => {
    execFileSync('git', ['init', '-q'], { cwd: folder.root })
    await folder.write('.gitignore', 'build/\n*.log\n')
    const build = (text: string) =>
      `mkdir -p build/deep && echo ${text} > build/deep/a.js && echo ${text} > x.log && echo ${text} > src.js`
    await folder.command(build('one'))
    expect(await folder.listed()).toEqual(['src.js created +1 -0'])
    await folder.call('write_file', { path: 'build/deep/a.js', content: 'two\n' })
    await folder.command(build('three'))
    expect(await folder.listed()).toEqual(['build/deep/a.js changed +1 -1', 'src.js created +1 -0'])
    await undo('build/deep/a.js')
    expect(await folder.read('build/deep/a.js')).toBe('one\n')
  })

  it('lists a change of permissions and undoes it', async () => {
    await chmod(join(folder.root, 'b.txt'), 0o644)
    await folder.command('chmod 755 b.txt')
    const { files } = await folder.request('review.list', { scope: pending })
    expect(files).toMatchObject([{ path: 'b.txt', hunks: 0, mode: { from: 0o644, to: 0o755 } }])
    await undo('b.txt')
    expect((await stat(join(folder.root, 'b.txt'))).mode & 0o777).toBe(0o644)
  })
})

describe('unusual files', () => {
  it('a file with mixed line endings returns byte for byte when its last hunk is undone', async () => {
    const mixed = '1\r\n2\n3\r\n4\n5\r\n6'
    await folder.write('mixed.txt', mixed)
    await folder.command(`printf '1\\r\\ntwo\\n3\\r\\n4\\n5\\r\\nsix' > mixed.txt`)
    expect(await folder.listed()).toEqual(['mixed.txt changed +2 -2'])
    await undo('mixed.txt', await idAt('mixed.txt', 0))
    expect(await folder.listed()).toEqual(['mixed.txt changed +1 -1'])
    await undo('mixed.txt', await idAt('mixed.txt', 0))
    expect(await folder.read('mixed.txt')).toBe(mixed)
  })

  it('a change of line endings alone is stated and undone as a whole', async () => {
    await folder.command(`sed -i 's/$/\\r/' a.txt`)
    expect((await folder.request('review.list', { scope: pending })).files).toMatchObject([
      { path: 'a.txt', hunks: 0, problem: expect.stringContaining('Only the line endings') as string },
    ])
    await undo('a.txt')
    expect(await folder.read('a.txt')).toBe(lines('1', '2', '3', '4', '5', '6', '7', '8', '9'))
  })

  it('a missing newline at the end is a change of the last line', async () => {
    await folder.command(`printf 'b' > b.txt`)
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
    await undo('b.txt', await idAt('b.txt', 0))
    expect(await folder.read('b.txt')).toBe('b\n')
  })

  it('text that becomes invalid UTF-16 is kept or undone as a whole, with the reason', async () => {
    await folder.command(`printf '\\377\\376x' > b.txt`)
    expect((await folder.request('review.list', { scope: pending })).files).toMatchObject([
      { path: 'b.txt', content: 'binary', problem: expect.stringMatching(/not valid UTF.*as a whole/) as string },
    ])
    await undo('b.txt')
    expect(await folder.read('b.txt')).toBe('b\n')
  })

  it('a file replaced by a link, and a link with another target, return', async () => {
    await folder.command('ln -s b.txt link')
    await keep('link')
    await folder.command('rm a.txt && ln -s b.txt a.txt && ln -sfn a.txt link')
    expect(await folder.listed()).toEqual(['a.txt changed +0 -0', 'link changed +0 -0'])
    expect(await folder.request('review.undo', { scope: pending, targets: 'all' })).toMatchObject({ skipped: [] })
    expect(await readlink(join(folder.root, 'link'))).toBe('b.txt')
    expect((await lstat(join(folder.root, 'a.txt'))).isFile()).toBe(true)
    expect(await folder.read('a.txt')).toContain('9')
  })

  it('a rename of letter case alone returns', async () => {
    await folder.command('mv a.txt A.txt')
    expect((await folder.request('review.list', { scope: pending })).files).toMatchObject([
      { path: 'A.txt', change: 'renamed', renamedFrom: 'a.txt' },
    ])
    await undo('A.txt')
    expect([await folder.read('a.txt'), await folder.read('A.txt')]).toEqual([expect.stringContaining('9'), null])
  })

  it('a file and a folder that were swapped return', async () => {
    await folder.write('folder/inner.txt', 'inner\n')
    await folder.command('rm b.txt && mkdir b.txt && echo x > b.txt/x.txt && rm -r folder && echo y > folder')
    expect(await folder.listed()).toEqual([
      'b.txt deleted +0 -1',
      'b.txt/x.txt created +1 -0',
      'folder created +1 -0',
      'folder/inner.txt deleted +0 -1',
    ])
    expect(await folder.request('review.undo', { scope: pending, targets: 'all' })).toMatchObject({ skipped: [] })
    expect([await folder.read('b.txt'), await folder.read('folder/inner.txt')]).toEqual(['b\n', 'inner\n'])
    expect(await folder.request('review.revert', {})).toMatchObject({ skipped: [] })
    expect([await folder.read('b.txt/x.txt'), await folder.read('folder')]).toEqual(['x\n', 'y\n'])
    expect(await folder.request('review.redo', {})).toMatchObject({ skipped: [] })
    expect([await folder.read('b.txt'), await folder.read('folder/inner.txt')]).toEqual(['b\n', 'inner\n'])
  })

  it('a file that becomes too large is stated', async () => {
    await folder.command('head -c 11000000 /dev/zero > b.txt')
    expect((await folder.request('review.list', { scope: pending })).files).toMatchObject([
      { path: 'b.txt', content: 'tooLarge', problem: expect.stringContaining('larger than') as string },
    ])
    expect(await undo('b.txt')).toEqual({ changed: ['b.txt'], skipped: [] })
    expect(await folder.read('b.txt')).toBe('b\n')
  })

  it('keeping a file that became too large removes it from the review', async () => {
    await folder.command('head -c 11000000 /dev/zero > b.txt')
    await folder.listed()
    await folder.restart()
    expect(await keep('b.txt')).toEqual({ changed: ['b.txt'], skipped: [] })
    expect(await folder.listed()).toEqual([])
  })
})

describe("the card's undo of an edit", () => {
  it('removes the change from the review, and is reverted by it', async () => {
    const { view } = await folder.call('write_file', { path: 'b.txt', content: 'new\n' })
    const editId = view.kind === 'diff' ? String(view.editId) : ''
    expect(await folder.request('edits.undo', { editId })).toEqual({ paths: ['b.txt'] })
    expect(await folder.listed()).toEqual([])
    expect(await folder.request('review.revert', {})).toEqual({ changed: ['b.txt'], skipped: [] })
    expect(await folder.read('b.txt')).toBe('new\n')
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
  })
})

describe('commits of the repository', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b.c', ...args], { cwd: folder.root })
  beforeEach(() => {
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'first')
  })

  it('keep the files and hunks that they contain, and leave the others pending', async () => {
    await folder.call('write_file', { path: 'a.txt', content: lines('1', 'two', '3', '4', '5', '6', '7', '8', '9') })
    await folder.call('write_file', { path: 'b.txt', content: 'new\n' })
    git('commit', '-qm', 'second', 'a.txt')
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
  })

  it('of a repository in a subfolder keep what they contain, too', async () => {
    await folder.write('inner/c.txt', lines('c'))
    const inner = (...args: string[]) => git('-C', 'inner', ...args)
    inner('init', '-q')
    inner('add', '.')
    inner('commit', '-qm', 'first')
    await folder.call('write_file', { path: 'inner/c.txt', content: lines('changed') })
    await folder.call('write_file', { path: 'b.txt', content: 'new\n' })
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1', 'inner/c.txt changed +1 -1'])
    inner('commit', '-qam', 'second')
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
  })

  it('of a repository that contains the folder keep what they contain, too', async () => {
    await rm(join(folder.root, '.git'), { recursive: true })
    const above = (...args: string[]) => git('-C', '..', ...args)
    above('init', '-q')
    above('add', 'workspace')
    above('commit', '-qm', 'first')
    await folder.call('write_file', { path: 'a.txt', content: lines('changed') })
    await folder.call('write_file', { path: 'b.txt', content: 'new\n' })
    above('commit', '-qm', 'second', 'workspace/a.txt')
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
  })

  it('in a git folder outside of the workspace, and amended ones, keep what they contain, too', async () => {
    git('init', '-q', '--separate-git-dir=../elsewhere')
    git('config', 'user.name', 'A')
    git('config', 'user.email', 'a@b.c')
    await folder.call('write_file', { path: 'a.txt', content: lines('changed') })
    await folder.call('write_file', { path: 'b.txt', content: 'new\n' })
    git('commit', '-qm', 'second', 'a.txt')
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
    const [found] = await folder.request('git.repositories', { again: true })
    const options = { message: '', amend: true, signOff: false, all: true, skipHooks: false }
    await folder.request('git.commit', { repository: found?.id ?? '', operation: 'o', ...options })
    expect(await folder.listed()).toEqual([])
  })

  it('of the agent keep nothing, and those of the user do, even while a call of the agent runs', async () => {
    const identity = '-c user.name=A -c user.email=a@b.c'
    await folder.call('write_file', { path: 'a.txt', content: lines('agent') })
    await folder.command(`git ${identity} commit -qam 'by the agent'`)
    expect(await folder.listed()).toEqual(['a.txt changed +1 -9'])
    await folder.call('write_file', { path: 'b.txt', content: 'new\n' })
    git('config', 'user.name', 'A')
    git('config', 'user.email', 'a@b.c')
    const running = folder.command('touch started; while [ ! -e go ]; do sleep 0.05; done; rm started go')
    await expect.poll(() => folder.read('started')).toBe('')
    const { handlers } = folder.core
    const never = new AbortController().signal
    const [found] = await handlers['git.repositories']({ again: true }, never)
    const options = { message: 'mine', amend: false, signOff: false, all: true, skipHooks: false }
    await handlers['git.commit']({ repository: found?.id ?? '', operation: 'o', ...options }, never)
    expect(await folder.listed()).toEqual(['a.txt changed +1 -9'])
    await folder.write('go', '')
    await running
    expect(await folder.listed()).toEqual(['a.txt changed +1 -9'])
  })

  it('leave a deleted untracked file pending, whose deletion they do not contain', async () => {
    await folder.write('notes.md', 'note\n')
    await folder.command('rm notes.md')
    expect(await folder.listed()).toEqual(['notes.md deleted +0 -1'])
    await folder.write('x.txt', 'x\n')
    git('add', 'x.txt')
    git('commit', '-qm', 'second', 'x.txt')
    expect(await folder.listed()).toEqual(['notes.md deleted +0 -1'])
    await undo('notes.md')
    expect(await folder.read('notes.md')).toBe('note\n')
  })

  it('leave uncommitted work pending that the agent replaced by the committed text', async () => {
    await folder.write('b.txt', 'work of the user\n')
    await folder.command('git checkout -q -- b.txt')
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
    await folder.write('x.txt', 'x\n')
    git('add', 'x.txt')
    git('commit', '-qm', 'second', 'x.txt')
    expect(await folder.listed()).toEqual(['b.txt changed +1 -1'])
    await undo('b.txt')
    expect(await folder.read('b.txt')).toBe('work of the user\n')
  })
})

describe('a call during another call', () => {
  it.each([
    ['of known paths', () => folder.call('write_file', { path: 'b.txt', content: 'by the command\n' })],
    ['of unknown paths', () => folder.command('true', 'another turn')],
  ])('%s leaves what the other one changed before it in the review', async (_, during) => {
    const running = folder.command(
      "echo 'by the command' > b.txt; touch started; while [ ! -e go ]; do sleep 0.05; done; rm started go",
    )
    await expect.poll(() => folder.read('started')).toBe('')
    await during()
    await folder.write('go', '')
    await running
    expect(await folder.listed()).toEqual([expect.stringMatching(/^b.txt /)])
  })
})

describe('a restart', () => {
  it('keeps hunks, and undoes them from the stored bases', async () => {
    await folder.command('echo more >> a.txt')
    await folder.listed()
    await folder.restart()
    expect(await folder.listed()).toEqual(['a.txt changed +1 -0'])
    await undo('a.txt', await idAt('a.txt', 0))
    expect(await folder.read('a.txt')).not.toContain('more')
  })
})

describe('review of MCP servers', () => {
  it('lists what a tool of a server changes in the folder', async () => {
    await folder.close()
    await folder.write(
      'server.mjs',
      `import { writeFileSync } from 'node:fs'
       import { createInterface } from 'node:readline'
       const results = {
         initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
         'tools/list': () => ({ tools: [{ name: 'write', inputSchema: { type: 'object', properties: {} } }] }),
         'tools/call': () => {
           writeFileSync('by server.txt', 'made\\n')
           return { content: [{ type: 'text', text: 'done' }] }
         },
       }
       createInterface({ input: process.stdin }).on('line', (line) => {
         const { id, method, params } = JSON.parse(line)
         if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }))
       })`,
    )
    const server = { command: process.execPath, args: ['server.mjs'] }
    await folder.write('.mcp.json', JSON.stringify({ mcpServers: { files: server } }))
    await folder.restart()
    expect(await folder.core.toolsReady(AbortSignal.timeout(60_000))).toEqual([])
    const tool = folder.core.executor
      .describeAll('blade')
      .find(({ name }) => name.includes('write') && name.includes('files'))
    expect(await folder.call(tool?.name ?? '', {}, 'turn')).toMatchObject({ ok: true })
    expect(await folder.listed()).toEqual(['by server.txt created +1 -0'])
  })
})
