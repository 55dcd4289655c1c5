import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { settingGroups } from '../src/shared/settings/table/settingGroups.ts'

const root = resolve(import.meta.dirname, '..')
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .trim()
  .split('\n')
  .filter((file) => existsSync(join(root, file)))
const folders = new Set(files.flatMap((file) => ancestors(dirname(file))))
const documents = files.filter((file) =>
  /^(docs\/.*|[A-Z]+|src\/.*\/README|e2e\/.*README|scripts\/README)\.md$/.test(file),
)
/** Generated from examples of tools, which name files of an example folder. */
const generated = new Set(['docs/tools.md', 'docs/models.md', 'docs/languages.md'])

/** Paths in the user data folder, in a workspace or in a built clone. */
const userFolders = new Set([
  'themes',
  'backups',
  'checkpoints',
  'deleted',
  'code-index',
  'model-prompts',
  'compiled',
  'running-commands',
  'logs',
  'out',
  'dist',
  '.git',
  '.vscode',
  '.cache',
  'node_modules',
])

describe.each(documents.filter((file) => !generated.has(file)))('%s', (document) => {
  // The list of protected places names files of other projects.
  const text = readFileSync(join(root, document), 'utf8').replace(/<!-- places -->.*<!-- \/places -->/s, '')

  it('names files and folders of the sources that exist', () => {
    const named = [...text.matchAll(/`([\w.-]+(?:\/[\w@.-]+)*(?:\.(?:ts|tsx|mjs|css)|\/))`/g)].map(
      ([, name = '']) => name,
    )
    expect(named.filter((name) => !isFound(name))).toEqual([])
  })

  it('links to pages that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link)
    expect(links.filter((link) => !existsSync(join(root, dirname(document), link)))).toEqual([])
  })
})

it('docs/security.md names tests that exist', () => {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8').replace(/<!-- places -->.*<!-- \/places -->/s, '')
  const shortNames = new Map(
    [...text.matchAll(/`(\w+)`\s+is\s+`([^`]+\.test\.ts)`/g)].map(([, name, file]) => [name, file]),
  )
  const missing: string[] = []
  let names = 0
  for (const section of text.split(/^## /m)) {
    const standard = /Tests are in\s+`([^`]+)`/.exec(section)?.[1]
    for (const [, cell = ''] of section.matchAll(/^\|.*\| (.+) \|$/gm)) {
      let file = standard
      if (cell === 'test') continue
      for (const part of cell.replaceAll(/ \([^)]*\)/g, '').split(' · ')) {
        const [, named = '', rest = ''] = /^((?:(?:`[^`]+`|\w+(?=:))(?:, )?)*)(?:: )?(.*)$/.exec(part) ?? []
        const last = named.split(', ').at(-1)?.replaceAll('`', '')
        if (last) file = shortNames.get(last) ?? last
        for (const fragment of rest.split(/…|; /).map((each) => each.replace(/[,\s]+$/, '').trim())) {
          if (fragment === '') continue
          names += 1
          if (!testText(file ?? '').includes(fragment)) missing.push(`${file}: ${fragment}`)
        }
      }
    }
  }
  expect(missing).toEqual([])
  expect(names).toBeGreaterThan(40)
})

it('finds a file that does not exist', () => {
  expect(isFound('agent/noSuchFile.ts')).toBe(false)
  expect(isFound('noSuchFolder/')).toBe(false)
})

/** A name may omit the beginning of its path. */
function isFound(name: string): boolean {
  if (!name.endsWith('/')) return files.some((file) => file === name || file.endsWith(`/${name}`))
  const folder = name.slice(0, -1)
  return userFolders.has(folder) || [...folders].some((each) => each === folder || each.endsWith(`/${folder}`))
}

function ancestors(folder: string): string[] {
  return folder === '.' ? [] : [folder, ...ancestors(dirname(folder))]
}

it('names the sections of the settings as the settings page does', () => {
  const titles = Object.values(settingGroups).map(({ title }) => title)
  const named = [...documents, 'README.md'].flatMap((document) =>
    [
      ...readFileSync(join(root, document), 'utf8')
        .replaceAll('\n', ' ')
        .matchAll(/\*\*Settings → ([^*→]+?)\*\*/g),
    ].map(([, title]) => title),
  )
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((title) => !titles.some((known) => known === title))).toEqual([])
})

/** Returns the text of the test files with a name, as their titles are read. */
function testText(name: string): string {
  return files
    .filter((file) => file === name || file.endsWith(`/${name}`))
    .map((file) => readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'"))
    .join('\n')
}
