import { expect, it } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { createFileRules } from './fileRules.ts'

const defaults = ['**/.git', '**/.svn', '**/.hg', '**/.DS_Store']

const rulesOf = (files: object, folder: object | string | null = null, vsCode: string | null = null, more = {}) =>
  createFileRules(() => settingsSchema.parse({ files, ...more }), {
    own: async () => (folder === null || typeof folder === 'string' ? folder : JSON.stringify(folder)),
    vsCode: async () => vsCode,
  })()

it('the folders of version controls are not shown by default', async () => {
  const { isShown } = await rulesOf({})
  expect(['.git', '.git/HEAD', 'a/.svn', 'a/.DS_Store'].filter(isShown)).toEqual([])
  expect(isShown('.gitignore')).toBe(true)
})

it('the defaults stay for a user with other globs, unless one is turned off', async () => {
  const { isShown } = await rulesOf({ exclude: { out: true, '**/.svn': false } })
  expect(['.git', '.svn', 'out', 'src'].filter(isShown)).toEqual(['.svn', 'src'])
})

it('the folder adds globs, and shows what the user excludes', async () => {
  const { isShown, excluded } = await rulesOf(
    { exclude: { '**/*.log': true, out: true } },
    { files: { exclude: { 'dist/**': true, out: false } } },
  )
  expect(['a.log', 'src/b.log', 'dist/a.js', 'out/a.js', 'src/a.js'].filter(isShown)).toEqual(['out/a.js', 'src/a.js'])
  expect(excluded).toEqual([...defaults, '**/*.log', '/dist/**'])
})

it('only a glob that begins with two asterisks hides at any depth, as in VS Code', async () => {
  const { isShown } = await rulesOf({ exclude: { build: true, '*.log': true, './gen': true, '**/*.map': true } })
  const paths = ['build', 'build/a', 'src/build/a', 'a.log', 'src/a.log', 'gen/a', 'src/gen/a', 'src/a.map']
  expect(paths.filter(isShown)).toEqual(['src/build/a', 'src/a.log', 'src/gen/a'])
})

it('search.exclude hides files from search and quick open, and the explorer shows them', async () => {
  const user = { search: { exclude: { '**/*.min.js': true } } }
  const { isShown, isFound, excluded } = await rulesOf({}, null, '{"search.exclude": {"dist": true}}', user)
  const files = ['a.min.js', 'dist', 'a.js', '.git']
  expect(files.filter(isShown)).toEqual(['a.min.js', 'dist', 'a.js'])
  expect(files.filter(isFound)).toEqual(['a.js'])
  expect(excluded).toEqual([...defaults, '**/*.min.js', '/dist'])
})

it('a glob that cannot be used leaves the others in effect', async () => {
  const { isShown, excluded } = await rulesOf({ exclude: { '[': true, '*.tmp': true } })
  expect(isShown('a.tmp')).toBe(false)
  expect(excluded).toEqual([...defaults, '/*.tmp'])
})

it('the longest glob decides about the language, and one with a slash is compared with the path', async () => {
  const { languageOf } = await rulesOf(
    { associations: { '*.inc': 'php', 'legacy.inc': 'html' } },
    { files: { associations: { 'conf/*': 'ini' } } },
  )
  expect(languageOf('src/a.INC')).toBe('php')
  expect(languageOf('src/legacy.inc')).toBe('html')
  expect(languageOf('conf/a')).toBe('ini')
  expect(languageOf('a.ts')).toBeUndefined()
})

it('the settings of VS Code in the folder are used, except for values that depend on other files', async () => {
  const { excluded, languageOf } = await rulesOf(
    { exclude: {} },
    { files: { exclude: { out: false } } },
    `{
      // Comments are allowed.
      "files.exclude": { "out": true, "*.map": true, "*.js": { "when": "$(basename).ts" } },
      "files.associations": { "*.inc": "php", "*.x": 1 },
    }`,
  )
  expect(excluded).toEqual([...defaults, '/*.map'])
  expect([languageOf('a.inc'), languageOf('a.x')]).toEqual(['php', undefined])
})

it('unreadable settings of the folder change nothing', async () => {
  expect((await rulesOf({}, '{', '[')).isShown('.git')).toBe(false)
  expect((await rulesOf({}, null, '['.repeat(100_000))).isShown('.git')).toBe(false)
})

it('in a workspace, a folder adds to the settings of the file, for itself', async () => {
  const text = (exclude: object, associations: object) =>
    JSON.stringify({ 'files.exclude': exclude, 'files.associations': associations })
  const { isShown, excluded, languageOf } = await createFileRules(
    () => settingsSchema.parse({ files: { exclude: { '**/*.log': true } } }),
    {
      own: async (folder) => (folder === 'web' ? JSON.stringify({ files: { exclude: { tmp: true } } }) : null),
      vsCode: async (folder) => (folder === 'api' ? text({ out: false, gen: true }, { '*.inc': 'php' }) : null),
      workspaceFile: async () => text({ out: true }, { '*.inc': 'html', '*.x': 'ini' }),
      folders: [
        { name: 'api', path: '/api' },
        { name: 'web', path: '/web' },
      ],
    },
  )()
  const shown = ['api', 'api/a.log', 'api/out/a', 'web/out/a', 'api/gen/a', 'web/gen/a', 'api/tmp', 'web/tmp']
  expect(shown.filter(isShown)).toEqual(['api', 'api/out/a', 'web/gen/a', 'api/tmp'])
  const own = excluded.filter((glob) => !defaults.some((each) => glob.endsWith(each)))
  expect(own).toEqual(['api/**/*.log', 'api/gen', 'web/**/*.log', 'web/out', 'web/tmp'])
  expect([languageOf('api/a.inc'), languageOf('web/a.inc'), languageOf('api/a.x')]).toEqual(['php', 'html', 'ini'])
  expect(languageOf('outside:///elsewhere/a.x')).toBe('ini')
})
