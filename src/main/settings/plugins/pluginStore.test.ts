import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArchive } from '../../extract/zipArchive.ts'
import { pluginReaders } from '../../appServices/userData.ts'
import { packZip } from '../../testing/packZip.ts'
import { createPluginStore, type PluginStore } from './pluginStore.ts'
import { createPluginVersions } from './pluginVersions.ts'

const json = (value: unknown) => JSON.stringify(value)
const bytes = (text: string) => new TextEncoder().encode(text)
let user: string
let source: string
let store: PluginStore
let changes: string[][]

const open = () =>
  createPluginStore({
    userDataFolder: user,
    openArchive: (content) => openArchive(content, 20 * 1024 * 1024),
    readers: pluginReaders,
    onNotice: () => undefined,
  })

beforeEach(async () => {
  user = await mkdtemp(path.join(tmpdir(), 'tizona-plugins-'))
  source = await mkdtemp(path.join(tmpdir(), 'tizona-plugin-'))
  store = await open()
  changes = []
  store.onChanged((names) => changes.push(names))
})
afterEach(async () => {
  for (const folder of [user, source]) await rm(folder, { recursive: true, force: true })
})

const forge = {
  '.claude-plugin/plugin.json': json({
    name: 'forge',
    version: '1.0.0',
    description: 'Forges blades.',
    author: { name: 'Smith' },
    lspServers: './x.json',
  }),
  'skills/temper/SKILL.md': '---\nname: temper\ndescription: Tempers steel.\n---\nHeat, then quench.',
  'skills/temper/table.md': 'Colors',
  'commands/inspect.md': '---\ndescription: Inspects a blade\nargument-hint: BLADE\n---\nInspect $ARGUMENTS.',
  'agents/quench.md': '---\nname: quench\ndescription: Quenches.\ntools: Read, Grep\nmodel: opus\n---\nYou quench.',
  'hooks/hooks.json': json({
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'bash "${CLAUDE_PLUGIN_ROOT}/check.sh"' }] }],
      PreCompact: [{ hooks: [{ type: 'command', command: 'true' }] }],
    },
  }),
  'check.sh': '#!/bin/bash\nexit 0\n',
  '.mcp.json': json({ anvil: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/anvil.mjs'] } }),
  'anvil.mjs': 'process.exit()',
}

async function writeSource(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(source, name)), { recursive: true })
    await writeFile(path.join(source, name), text)
  }
}

async function trusted(files: Readonly<Record<string, string>> = forge) {
  await writeSource(files)
  const { plugin } = await store.addFolder(source)
  await store.trust(plugin.name, plugin.hash, true)
  return plugin
}

const filesOf = (files: Readonly<Record<string, string>>) =>
  new Map(Object.entries(files).map(([name, text]) => [name, bytes(text)] as const))

describe('adding a plug-in', () => {
  it('lists all that it brings and what is not used, and uses nothing before the trust', async () => {
    await writeSource(forge)
    const { outcome, plugin } = await store.addFolder(source)
    expect(outcome).toBe('installed')
    expect(plugin).toMatchObject({ name: 'forge', state: 'untrusted', enabled: true, files: 9, changedFiles: [] })
    expect(plugin.contents).toMatchObject({
      version: '1.0.0',
      author: 'Smith',
      skills: [{ name: 'temper', description: 'Tempers steel.', file: 'skills/temper/SKILL.md' }],
      prompts: [{ name: 'inspect', hint: 'BLADE' }],
      agents: [{ name: 'quench', tools: ['Read', 'Grep'], model: 'opus' }],
      hooks: [{ event: 'PreToolUse', matcher: 'Bash', command: 'bash "${CLAUDE_PLUGIN_ROOT}/check.sh"' }],
      servers: [{ name: 'anvil', definition: { command: 'node' } }],
    })
    const unused = plugin.contents.notUsed.map(({ name, reason }) => `${name}: ${reason}`).join('\n')
    expect(unused).toContain('language servers')
    expect(unused).toContain('PreCompact')
    expect(await store.active()).toEqual([])
    expect(await store.hooks()).toEqual([])
    expect(changes).toEqual([['forge']])
  })

  it('reads an archive with a folder around it, files of a drop, and the manifests of Codex and Cursor', async () => {
    const packed = packZip(
      Object.fromEntries(Object.entries(forge).map(([name, text]) => [`forge-main/${name}`, text])),
    )
    const { plugin } = await store.addArchive('forge-main.zip', packed)
    expect(plugin).toMatchObject({ name: 'forge', source: { kind: 'archive', name: 'forge-main.zip' }, files: 9 })
    for (const program of ['codex', 'cursor']) {
      const added = await store.addFiles(
        'dropped',
        filesOf({ [`.${program}-plugin/plugin.json`]: json({ name: program }), 'commands/a.md': 'A' }),
      )
      expect(added.plugin).toMatchObject({ name: program, contents: { prompts: [{ name: 'a' }] } })
    }
    // Without a manifest, the folder names it.
    expect((await store.addFiles('My skills', filesOf({ 'skills/a/SKILL.md': 'A' }))).plugin.name).toBe('my-skills')
  })

  it('makes prompts of skills that only the user starts', async () => {
    const skill = '---\ndisable-model-invocation: true\nargument-hint: BLADE\n---\nForge.'
    const { plugin } = await store.addFiles('x', filesOf({ 'skills/forge/SKILL.md': skill }))
    expect(plugin.contents).toMatchObject({ skills: [], prompts: [{ name: 'forge', hint: 'BLADE' }] })
  })

  it('reads parts from where the manifest names them, beside the default folders, and inline definitions', async () => {
    const { plugin } = await store.addFiles(
      'x',
      filesOf({
        '.claude-plugin/plugin.json': json({
          name: 'x',
          commands: ['./more/', '../out.md'],
          agents: './a.md',
          hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
          mcpServers: { web: { url: 'https://mcp.example/x' } },
        }),
        'commands/one.md': '1',
        'more/two.md': '2',
        'a.md': '---\nname: helper\n---\nHelp.',
      }),
    )
    expect(plugin.contents.prompts.map(({ name }) => name)).toEqual(['one', 'two'])
    expect(plugin.contents.agents.map(({ name }) => name)).toEqual(['helper'])
    expect(plugin.contents.hooks).toMatchObject([{ event: 'Stop', command: 'true' }])
    expect(plugin.contents.servers).toMatchObject([{ name: 'web' }])
    expect(plugin.contents.notUsed).toContainEqual({ name: '../out.md', reason: 'The path leads out of the plug-in.' })
  })
})

describe('trust', () => {
  it('is for the hash of all files: a changed, added or removed file ends it and is named', async () => {
    const { root } = await trusted()
    expect(await store.active()).toMatchObject([{ name: 'forge', root }])
    expect(await (await store.hooks())[0]?.isChanged()).toBe(false)
    const table = path.join(root, 'skills/temper/table.md')
    await chmod(table, 0o600)
    await writeFile(table, 'Other')
    expect(await store.active()).toEqual([])
    const [hooks] = await store.hooks()
    expect(hooks).toMatchObject({ hooks: [{ event: 'PreToolUse' }] })
    expect(await hooks?.isChanged()).toBe(true)
    expect((await store.list())[0]).toMatchObject({ state: 'changed', changedFiles: ['skills/temper/table.md'] })
    await writeFile(table, 'Colors')
    expect(await store.active()).toHaveLength(1)
    await writeFile(path.join(root, 'new.js'), '')
    await rm(path.join(root, 'check.sh'))
    expect((await store.list())[0]?.changedFiles).toEqual(['check.sh', 'new.js'])
    // Adding the same version again writes the files again.
    await store.addFolder(source)
    expect((await store.list())[0]).toMatchObject({ state: 'trusted', changedFiles: [] })
  })

  it('ends with a change right after a comparison, which leaves the same times', async () => {
    const versions = createPluginVersions(path.join(user, 'plugins'))
    const { hash } = await versions.write('x', filesOf({ 'a.md': 'one' }))
    const file = path.join(await versions.rootOf({ name: 'x', hash }), 'a.md')
    await chmod(file, 0o600)
    for (let round = 0; round < 100; round += 1) {
      writeFileSync(file, 'one')
      expect(await versions.changedFiles({ name: 'x', hash })).toEqual([])
      writeFileSync(file, 'two')
      expect(await versions.changedFiles({ name: 'x', hash })).toEqual(['a.md'])
    }
  })

  it('does not follow a list of files that was changed together with a file', async () => {
    const { root } = await trusted()
    const list = path.join(path.dirname(root), 'files.json')
    await writeFile(list, (await readFile(list, 'utf8')).replace(/"hash":"./, '"hash":"_'))
    expect(await store.active()).toEqual([])
  })

  it('requires the version that was reviewed, and can be taken back', async () => {
    const { name, hash } = await trusted()
    await expect(store.trust(name, 'a'.repeat(64), true)).rejects.toMatchObject({ code: 'conflict' })
    await store.trust(name, hash, false)
    expect(await store.active()).toEqual([])
  })

  it('survives a restart, and other programs see the decision', async () => {
    await trusted()
    expect(await (await open()).active()).toMatchObject([{ name: 'forge' }])
  })

  it('ends while the plug-in is disabled, and with its removal, which leaves no file', async () => {
    await trusted()
    await store.setEnabled('forge', false)
    expect(await store.active()).toEqual([])
    expect(await store.hooks()).toEqual([])
    await store.setEnabled('forge', true)
    expect(await store.active()).toHaveLength(1)
    await store.remove('forge')
    expect(await store.list()).toEqual([])
    expect(await store.hooks()).toEqual([])
    expect(await readdir(path.join(user, 'plugins', 'forge'))).toEqual([])
    await expect(store.remove('forge')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('stores files read-only, and only scripts and programs can be started', async () => {
    const { root } = await trusted()
    expect(((await stat(path.join(root, 'check.sh'))).mode & 0o777).toString(8)).toBe('500')
    expect(((await stat(path.join(root, 'anvil.mjs'))).mode & 0o777).toString(8)).toBe('400')
  })
})

it('another program that follows sees what was added and trusted', async () => {
  const other = await open()
  const seen: string[][] = []
  other.onChanged((names) => seen.push(names))
  const stop = other.follow()
  await trusted()
  await expect.poll(() => other.active()).toHaveLength(1)
  expect(seen[0]).toEqual(['forge'])
  stop()
})

describe('the data of a plug-in', () => {
  it('has a folder that stays over updates, and is deleted with the plug-in only on demand', async () => {
    await trusted()
    const [before] = await store.active()
    const data = before?.data ?? ''
    expect(data).toBe(await realpath(path.join(user, 'plugin-data', 'forge')))
    expect((await store.hooks())[0]?.data).toBe(data)
    await mkdir(path.join(data, 'cache'))
    await writeFile(path.join(data, 'cache', 'state'), '12345')
    await writeSource({ 'check.sh': '#!/bin/bash\nexit 2\n' })
    const { plugin } = await store.check('forge')
    await store.accept('forge', plugin.offered?.hash ?? '')
    expect((await store.active())[0]?.data).toBe(data)
    expect(await store.data('forge')).toEqual({ path: data, files: 1, size: 5, more: false })
    await store.remove('forge')
    await trusted()
    expect(await readFile(path.join(data, 'cache', 'state'), 'utf8')).toBe('12345')
    await store.remove('forge', true)
    expect(await readdir(path.join(user, 'plugin-data'))).toEqual([])
  })

  it('stays with all that was stored before the removal, and only an empty folder goes', async () => {
    await trusted()
    const data = (await store.active())[0]?.data ?? ''
    await store.remove('forge')
    expect(await readdir(path.join(user, 'plugin-data'))).toEqual([])
    await trusted()
    await store.active()
    await writeFile(path.join(data, 'late'), '1')
    await store.remove('forge')
    expect(await readFile(path.join(data, 'late'), 'utf8')).toBe('1')
  })

  it('has no folder without a hook or server', async () => {
    await trusted({ 'commands/a.md': 'A', '.claude-plugin/plugin.json': json({ name: 'forge' }) })
    await store.active()
    expect(await store.data('forge')).toMatchObject({ files: 0 })
    await expect(readdir(path.join(user, 'plugin-data'))).rejects.toThrow('ENOENT')
  })
})

describe('the choice for one folder', () => {
  const names = async (folder?: string) => (await store.active(folder)).map(({ name }) => name)
  it('turns a plug-in off or on only there, and survives updates and a restart', async () => {
    await trusted()
    await store.setEnabledIn('/a', 'forge', false)
    const [active] = await store.active('/b')
    expect([await names('/a'), await names('/b'), await names()]).toEqual([[], ['forge'], ['forge']])
    expect(await store.hooks('/a')).toEqual([])
    expect((await store.list('/a'))[0]).toMatchObject({ enabled: true, enabledHere: false })
    expect((await store.list('/b'))[0]).not.toHaveProperty('enabledHere')
    await store.setEnabledIn('/b', 'forge', false)
    expect(await active?.isUsable()).toBe(false)
    await writeSource({ 'check.sh': '#!/bin/bash\nexit 2\n' })
    const { plugin } = await store.check('forge')
    await store.accept('forge', plugin.offered?.hash ?? '')
    store = await open()
    expect(await names('/a')).toEqual([])
  })

  it('is on in one folder while the plug-in is off in the others, and ends with a choice for all folders', async () => {
    await trusted()
    await store.setEnabled('forge', false)
    await store.setEnabledIn('/a', 'forge', true)
    expect([await names('/a'), await names('/b')]).toEqual([['forge'], []])
    await store.setEnabled('forge', false, '/a')
    expect(await names('/a')).toEqual([])
    await store.setEnabledIn('/a', 'forge', true)
    await store.setEnabledIn('/a', 'forge', false)
    expect((await store.list('/a'))[0]).not.toHaveProperty('enabledHere')
  })

  it.each([undefined, '/c'])('to be on ends when the plug-in is disabled everywhere, from %s', async (folder) => {
    await trusted()
    await store.setEnabledIn('/off', 'forge', false)
    await store.setEnabled('forge', false)
    await store.setEnabledIn('/a', 'forge', true)
    const [active] = await store.active('/a')
    await store.setEnabled('forge', true, folder)
    expect([await names('/a'), await names('/b'), await names('/off')]).toEqual([['forge'], ['forge'], []])
    await store.setEnabled('forge', false, folder)
    expect([await names('/a'), await names('/b')]).toEqual([[], []])
    expect(await active?.isUsable()).toBe(false)
    await store.setEnabled('forge', true)
    expect([await names('/a'), await names('/off')]).toEqual([['forge'], []])
  })
})

describe('the start', () => {
  const past = new Date(Date.now() - 2 * 3_600_000)

  it('removes old copies that nothing refers to', async () => {
    const { root } = await trusted()
    const plugin = path.dirname(path.dirname(root))
    const [left, interrupted] = [path.join(plugin, 'a'.repeat(32)), path.join(plugin, '..', `.new-${randomUUID()}`)]
    await store.remove('forge')
    const { root: kept } = await trusted()
    for (const folder of [left, interrupted]) {
      await mkdir(path.join(folder, 'files'), { recursive: true })
      await writeFile(path.join(folder, 'files.json'), '{}')
      await utimes(folder, past, past)
    }
    await utimes(path.dirname(kept), past, past)
    await open()
    expect(await readdir(plugin)).toEqual([path.basename(path.dirname(kept))])
    expect(await readdir(path.dirname(plugin))).toEqual(['forge'])
  })

  it('deletes nothing of the user: behind links, in folders made by hand, or of another form', async () => {
    const plugins = path.join(user, 'plugins')
    const own = [
      path.join(source, 'skills', 'a.md'),
      path.join(source, 'b'.repeat(32), 'files.json'),
      path.join(source, 'b'.repeat(32), 'files', 'a.md'),
      path.join(plugins, 'mine', 'skills', 'a.md'),
      path.join(plugins, 'mine', 'c'.repeat(32), 'a.md'),
      path.join(plugins, '.new-idea', 'a.md'),
    ]
    for (const file of own) {
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(file, 'work')
      for (let folder = path.dirname(file); folder !== source && folder !== plugins; folder = path.dirname(folder))
        await utimes(folder, past, past)
    }
    await symlink(source, path.join(plugins, 'linked'))
    await open()
    for (const file of own) expect(await readFile(file, 'utf8')).toBe('work')
  })

  it('deletes nothing in a folder for plug-ins that is a link', async () => {
    const { root } = await trusted()
    await rename(path.join(user, 'plugins'), path.join(source, 'plugins'))
    await symlink(path.join(source, 'plugins'), path.join(user, 'plugins'))
    const version = path.join(
      source,
      'plugins',
      path.relative(path.join(await realpath(user), 'plugins'), path.dirname(root)),
    )
    await utimes(version, past, past)
    await rm(path.join(user, 'plugins.json'))
    await open()
    expect(await readdir(version)).toContain('files.json')
  })
})

describe('an update', () => {
  const next = {
    ...forge,
    'check.sh': '#!/bin/bash\nexit 2\n',
    'new.bin': '\0\u0001',
    'skills/temper/table.md': 'Colors',
  }

  it('is offered with its differences, while the installed version keeps working', async () => {
    const { hash } = await trusted()
    expect((await store.check('forge')).outcome).toBe('same')
    await writeSource(next)
    await rm(path.join(source, 'anvil.mjs'))
    const { outcome, plugin } = await store.check('forge')
    expect(outcome).toBe('offered')
    expect(plugin).toMatchObject({ hash, state: 'trusted' })
    const offered = plugin.offered?.hash ?? ''
    const differences = await store.changes('forge', offered)
    expect(differences.map(({ path: file }) => file)).toEqual(['anvil.mjs', 'check.sh', 'new.bin'])
    expect(differences[1]?.text?.diff.diff).toContain('-exit 0\n+exit 2')
    expect(differences[2]).toEqual({ path: 'new.bin', before: null, after: { size: 2, hash: expect.any(String) } })
    expect(await (await store.active())[0]?.readText('check.sh')).toContain('exit 0')
    const accepted = await store.accept('forge', offered)
    expect(accepted).toMatchObject({ hash: offered, state: 'trusted' })
    expect(accepted.offered).toBeUndefined()
    expect(await (await store.active())[0]?.readText('check.sh')).toContain('exit 2')
    expect(await readdir(path.join(user, 'plugins', 'forge'))).toHaveLength(1)
  })

  it('shows the difference of every text, although others are large, binary or differ in line endings only', async () => {
    const files = (fill: string, more: Readonly<Record<string, string>>) =>
      filesOf({
        'commands/a.md': 'A',
        'a.bin': `\0${fill.repeat(5_000_000)}`,
        ...Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`b${index}.txt`, fill.repeat(500_000)])),
        ...more,
      })
    const both = { 'both.sh': 'a\nb\nc\n', 'endings.sh': 'a\nb\n', 'mark.md': 'a' }
    const { plugin } = await store.addFiles('x', files('a', { ...both, 'check.sh': 'exit 0\n', 'gone.lock': '' }))
    await store.trust('x', plugin.hash, true)
    const offer = await store.addFiles(
      'x',
      files('b', {
        'both.sh': 'a\r\nb\r\nd\r\n',
        'endings.sh': 'a\nb\r\n',
        'mark.md': '\ufeffa',
        'check.sh': 'curl https://evil.example\n',
        'new.py': '\ufeff',
      }),
    )
    const found = new Map(
      (await store.changes('x', offer.plugin.offered?.hash ?? '')).map((change) => [change.path, change.text]),
    )
    expect(found.get('check.sh')?.diff.diff).toContain('+curl https://evil.example')
    expect(found.get('check.sh')?.endingsDiffer).toBeUndefined()
    for (const file of ['both.sh', 'endings.sh', 'mark.md']) expect(found.get(file)?.endingsDiffer).toBe(true)
    expect(found.get('both.sh')?.diff.diff).toContain('+d')
    for (const file of ['a.bin', 'gone.lock', 'new.py'])
      expect([found.has(file), found.get(file)]).toEqual([true, undefined])
    expect([...found.keys()]).toEqual([...found.keys()].toSorted())
  })

  it('and the installed version can be read file by file before they are trusted', async () => {
    await writeSource(forge)
    const { hash } = (await store.addFolder(source)).plugin
    expect(await store.files('forge', hash)).toHaveLength(9)
    expect(await store.readText('forge', hash, 'check.sh')).toBe('#!/bin/bash\nexit 0\n')
    expect(await store.readText('forge', hash, '../files.json')).toBeNull()
    await writeSource(next)
    const offered = (await store.check('forge')).plugin.offered?.hash ?? ''
    expect(await store.readText('forge', offered, 'check.sh')).toContain('exit 2')
    expect(await store.readText('forge', offered, 'new.bin')).toBeNull()
    await expect(store.readText('forge', 'a'.repeat(64), 'check.sh')).rejects.toMatchObject({ code: 'conflict' })
  })

  it('whose acceptance cannot be stored leaves the installed version', async () => {
    const { hash } = await trusted()
    await writeSource(next)
    const offered = (await store.check('forge')).plugin.offered?.hash ?? ''
    await rm(path.join(user, 'plugins.json'))
    await mkdir(path.join(user, 'plugins.json'))
    await expect(store.accept('forge', offered)).rejects.toThrow()
    expect(await (await store.active())[0]?.readText('check.sh')).toContain('exit 0')
    expect((await store.list())[0]).toMatchObject({ hash, state: 'trusted', offered: { hash: offered } })
  })

  it('can be dismissed, and offered again', async () => {
    const { hash } = await trusted()
    await writeSource(next)
    const offered = (await store.check('forge')).plugin.offered?.hash ?? ''
    await store.dismiss('forge', offered)
    expect((await store.list())[0]).toMatchObject({ hash, state: 'trusted' })
    await expect(store.accept('forge', offered)).rejects.toMatchObject({ code: 'conflict' })
    expect((await store.check('forge')).outcome).toBe('offered')
  })

  it('that another program has accepted is not deleted by a late dismissal', async () => {
    await trusted()
    await writeSource(next)
    const offered = (await store.check('forge')).plugin.offered?.hash ?? ''
    const late = await open()
    await store.accept('forge', offered)
    await late.dismiss('forge', offered)
    expect((await store.list())[0]).toMatchObject({ hash: offered, state: 'trusted', changedFiles: [] })
    expect(await store.active()).toHaveLength(1)
  })

  it('accepts only what was shown: neither a later offer nor changed files', async () => {
    await trusted()
    await writeSource(next)
    const first = (await store.check('forge')).plugin.offered?.hash ?? ''
    await writeSource({ 'check.sh': 'curl https://evil.example' })
    const second = (await store.check('forge')).plugin.offered?.hash ?? ''
    await expect(store.accept('forge', first)).rejects.toMatchObject({ code: 'conflict' })
    const copy = path.join(user, 'plugins', 'forge', second.slice(0, 32), 'files', 'check.sh')
    await chmod(copy, 0o600)
    await writeFile(copy, 'other')
    await expect(store.accept('forge', second)).rejects.toMatchObject({ code: 'conflict' })
    expect((await store.list())[0]).toMatchObject({ state: 'trusted' })
  })

  it('of a plug-in that is not trusted, or whose files have changed, is not trusted either', async () => {
    await writeSource(forge)
    await store.addFolder(source)
    await writeSource(next)
    const { plugin } = await store.check('forge')
    expect(await store.accept('forge', plugin.offered?.hash ?? '')).toMatchObject({ state: 'untrusted' })
  })

  it('with the name of an installed plug-in is an update of it, whatever its source', async () => {
    await trusted()
    const added = await store.addArchive('other.zip', packZip({ ...forge, 'check.sh': 'evil' }))
    expect(added).toMatchObject({
      outcome: 'offered',
      plugin: { state: 'trusted', offered: { source: { name: 'other.zip' } } },
    })
    const upper = await store.addFiles(
      'x',
      filesOf({ '.claude-plugin/plugin.json': json({ name: 'FORGE' }), 'commands/a.md': 'A' }),
    )
    expect(upper.outcome).toBe('offered')
    expect(await store.list()).toHaveLength(1)
  })

  it('that cannot be read leaves the installed version', async () => {
    await trusted()
    await writeSource({ '.claude-plugin/plugin.json': '{' })
    await expect(store.check('forge')).rejects.toMatchObject({ code: 'invalid_arguments' })
    await writeSource({ '.claude-plugin/plugin.json': json({ name: 'another' }) })
    await expect(store.check('forge')).rejects.toThrow('This is the plug-in another, not forge.')
    await rm(source, { recursive: true })
    await expect(store.check('forge')).rejects.toThrow(`${source} does not exist.`)
    expect(await store.active()).toHaveLength(1)
  })
})

describe('a hostile plug-in', () => {
  const named = (name: string, more: Readonly<Record<string, string>> = { 'commands/a.md': 'A' }) =>
    filesOf({ '.claude-plugin/plugin.json': json({ name }), ...more })

  it.each(['../x', 'CON', 'a/b', '', 'a b', `a\u202e`, 'a\u0007', 'x'.repeat(41), '.x', 'a:b'])(
    'is refused if its name is %j',
    async (name) => {
      await expect(store.addFiles('x', named(name))).rejects.toThrow(/not a name for a plug-in/)
      expect(await store.list()).toEqual([])
    },
  )

  it.each([
    '../evil.md',
    'commands/../../evil.md',
    '/etc/evil.md',
    'commands\\evil.md',
    'C:/evil.md',
    'commands/CON.md',
    'commands/a.md.',
    'commands/\u202egpj.md',
    'commands/a\u0000.md',
    `${'deep/'.repeat(13)}a.md`,
    `commands/${'x'.repeat(200)}.md`,
    'Commands/A.md',
  ])('is refused if it has the file %j, and nothing is written', async (file) => {
    await expect(store.addFiles('x', named('x', { 'commands/a.md': 'A', [file]: 'B' }))).rejects.toMatchObject({
      code: 'invalid_arguments',
    })
    expect(await readdir(path.join(user, 'plugins')).catch(() => [])).toEqual([])
  })

  it('is refused with too many files, before they are read or stored', async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`commands/${index}.md`, 'x']))
    await expect(store.addFiles('x', named('x', many))).rejects.toThrow('more than 2,000 files')
    await expect(store.addArchive('x.zip', packZip(many))).rejects.toThrow('more than 2,000 files')
    await writeSource(Object.fromEntries(Object.entries(many).slice(0, 2001)))
    await expect(store.addFolder(source)).rejects.toThrow('more than 2,000 files')
  })

  it('is refused if it unpacks to more than 20 MB, without unpacking it', async () => {
    const bomb = packZip({ 'skills/a/SKILL.md': 'A', big: '\0'.repeat(25 * 1024 * 1024) })
    expect(bomb.length).toBeLessThan(100_000)
    await expect(store.addArchive('x.zip', bomb)).rejects.toThrow('larger than 20 MB')
  })

  it('is refused if an archive lies about its sizes', async () => {
    const packed = Buffer.from(packZip({ 'skills/a/SKILL.md': 'A'.repeat(100_000) }))
    const at = packed.lastIndexOf(Buffer.from('PK\u0001\u0002', 'latin1'))
    packed.writeUInt32LE(10, at + 24)
    await expect(store.addArchive('x.zip', new Uint8Array(packed))).rejects.toMatchObject({ code: 'invalid_arguments' })
  })

  it('is refused if a file has the name of a folder', async () => {
    const files = named('x', { 'commands/a.md': 'A', Commands: 'x' })
    await expect(store.addFiles('x', files)).rejects.toThrow('"commands" is both a file and a folder.')
  })

  it('has at most 100 hooks, servers and places in the manifest', async () => {
    const hook = { matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }
    const hooks = json({ hooks: { PreToolUse: Array.from({ length: 60 }, () => hook) } })
    const server = (file: string) =>
      json(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${file}${index}`, { command: 'x' }])))
    const { plugin } = await store.addFiles(
      'x',
      filesOf({
        '.claude-plugin/plugin.json': json({
          name: 'x',
          commands: Array(50_000).fill('a'),
          hooks: ['./a.json', './b.json', ...Array(20_000).fill({})],
          mcpServers: ['./c.json', './d.json', './e.json'],
        }),
        'commands/a.md': 'A',
        'a.json': hooks,
        'b.json': hooks,
        'c.json': server('c'),
        'd.json': server('d'),
        'e.json': server('e'),
      }),
    )
    const { hooks: usedHooks, servers, notUsed } = plugin.contents
    expect([usedHooks.length, servers.length]).toEqual([100, 100])
    for (const name of ['commands in the manifest', 'hooks in the manifest', 'hooks', 'MCP servers'])
      expect(notUsed).toContainEqual({ name, reason: 'Only the first 100 are used.' })
  })

  it('does not bring links out of its folder', async () => {
    await writeSource(forge)
    await symlink('/etc/passwd', path.join(source, 'commands', 'passwd.md'))
    await symlink('/etc', path.join(source, 'skills', 'etc'))
    const { plugin } = await store.addFolder(source)
    expect(plugin.files).toBe(9)
    expect(plugin.contents.notUsed).toContainEqual({
      name: 'links and special files (2)',
      reason: 'Links and special files are not copied.',
    })
  })

  it('is refused with a manifest that is too large, too deep, or of another kind', async () => {
    const broken = (text: string) =>
      store.addFiles('x', filesOf({ '.claude-plugin/plugin.json': text, 'commands/a.md': 'A' }))
    await expect(broken(json({ name: 'x', description: 'x'.repeat(300_000) }))).rejects.toThrow('larger than 256 KB')
    await expect(broken('['.repeat(100_000))).rejects.toMatchObject({ code: 'invalid_arguments' })
    await expect(broken('[]')).rejects.toMatchObject({ code: 'invalid_arguments' })
    await expect(broken(json({ name: 1 }))).rejects.toMatchObject({ code: 'invalid_arguments' })
    await expect(store.addFiles('x', filesOf({ '.claude-plugin/plugin.json': json({ name: 'x' }) }))).rejects.toThrow(
      'x has no skills, prompts, hooks, MCP servers or sub-agents.',
    )
    await expect(
      store.addFiles('x', filesOf({ '.claude-plugin/marketplace.json': '{}', 'commands/a.md': 'A' })),
    ).rejects.toThrow('a marketplace with several plug-ins')
  })

  it('has no part with a NUL, a hidden character or a name of another part, and says so', async () => {
    const { plugin } = await store.addFiles(
      'x',
      named('x', {
        'commands/a.md': '---\ndescription: safe\u202eevil\n---\nA',
        'skills/zero/SKILL.md': 'a\0b',
        'skills/one/SKILL.md': '---\nname: same\n---\n1',
        'skills/two/SKILL.md': '---\nname: Same\n---\n2',
        'skills/name/SKILL.md': '---\nname: ../../x\n---\n3',
        'agents/deep.md': `---\n${'- x\n'.repeat(20_000)}---\nD`,
        '.mcp.json': json({
          out: { command: './../bin/x' },
          args: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/../../x.js'] },
          'a\u202e': { command: 'x' },
          parent: { command: 'node', args: ['..'] },
          option: { command: 'node', args: ['--require=../../evil.js', 'x'] },
          shell: { command: 'sh', args: ['-c', 'exec ../../evil'] },
          variable: { command: 'node', args: ['x'], env: { NODE_OPTIONS: '--require ../../evil.js' } },
          fine: { command: './bin/x' },
          dots: { command: 'node', args: ['a/../x.js', '/usr/..', 'https://example.org/a/../b', '...'] },
        }),
      }),
    )
    expect(plugin.contents.prompts[0]?.description).toBe('safe\\u202eevil')
    expect(plugin.contents.skills.map(({ name }) => name)).toEqual(['name', 'same'])
    expect(plugin.contents.servers.map(({ name }) => name)).toEqual(['fine', 'dots'])
    const unused = plugin.contents.notUsed.map(({ name }) => name)
    expect(unused).toEqual(
      expect.arrayContaining([
        'skills/zero/SKILL.md',
        'skills/two/SKILL.md',
        ...['out', 'args', 'parent', 'option', 'shell', 'variable'].map((each) => `MCP server ${each}`),
      ]),
    )
  })
})
