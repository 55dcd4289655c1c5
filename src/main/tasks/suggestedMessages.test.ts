import { expect, it } from 'vitest'
import { suggestedMessages, type FolderFacts } from './suggestedMessages.ts'

const texts = (facts: Partial<FolderFacts>): string[] =>
  suggestedMessages({ entries: ['README.md', 'src/'], changes: 0, ...facts }).map(({ text }) => text)

it('an empty folder gets something to create', () => {
  expect(texts({ entries: ['.git/'] })[0]).toMatch(/^Create/)
})

it('uncommitted changes, the tests of the project and a to-do comment come first', () => {
  const packageJson = '{"scripts":{"test":"vitest run"}}'
  expect(texts({ packageJson, changes: 3, todo: { path: 'src/a.ts', line: 7 } })).toEqual([
    'Review my uncommitted changes and suggest a commit message',
    'Run the tests with `npm test` and explain what fails',
    'Resolve the to-do comment in src/a.ts, line 7',
    'Explain what this project does and how its folders fit together',
  ])
})

it.each([
  [['package.json', 'pnpm-lock.yaml'], 'pnpm test'],
  [['package.json', 'yarn.lock'], 'yarn test'],
  [['package.json', 'bun.lock'], 'bun run test'],
  [['package.json'], 'npm test'],
])('the tests run with the package manager of %j', (entries, command) => {
  expect(texts({ entries, packageJson: '{"scripts":{"test":"x"}}' })[0]).toContain(`\`${command}\``)
})

it.each([
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['pyproject.toml', 'pytest'],
])('%s names the command %s', (file, command) => {
  expect(texts({ entries: [file] })[0]).toContain(`\`${command}\``)
})

it.each(['{', 'null', '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}', '{"scripts":{}}'])(
  'a package.json without tests (%s) gets a first test suggested',
  (packageJson) => {
    expect(texts({ packageJson })).toContain('Write a first test for the most important function')
  },
)

it('a missing README is suggested, at most four tasks in all', () => {
  const all = texts({ entries: ['main.c'] })
  expect(all).toHaveLength(4)
  expect(all.at(-1)).toContain('README.md')
})
