import { beforeEach, expect, it, afterEach } from 'vitest'
import type { McpServerStatus } from '../../../shared/tools/mcp.ts'
import { useMcp } from '../../platform/mcpStore.ts'
import { connectedServer } from '../../testing/connectedServer.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { promptArguments, runSlash, slashSuggestions } from './slashCommands.ts'
import { mentionSuggestions } from './suggestions.ts'

const server: McpServerStatus = {
  ...connectedServer,
  prompts: [
    {
      command: 'docs__review',
      name: 'review',
      description: 'Reviews.',
      arguments: [
        { name: 'file', description: '', required: true },
        { name: 'focus', description: '', required: false },
      ],
    },
  ],
  resources: [
    { uri: 'guide://start', name: 'Start', description: 'How to begin.', template: false },
    { uri: 'guide://page/{number}', name: 'Page', description: '', template: true },
  ],
}
const args = server.prompts?.[0]?.arguments ?? []

let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['prompts.list'] = () => []
  main.responses['files.find'] = () => []
  main.responses['code.symbols'] = () => ({ symbols: [] })
  main.responses['mcp.prompt'] = () => 'Review a.ts.'
  useMcp.setState({ state: { servers: [server], problems: [] } })
})
afterEach(() => useMcp.setState({ state: null }))

it('offers prompts of servers with their arguments, and puts their text into the composer', async () => {
  const [row] = await slashSuggestions('review')
  expect(row).toMatchObject({
    label: '/docs__review',
    detail: 'Reviews. (file="" [focus=""]) · docs',
    insert: '/docs__review file=""',
  })
  expect(await runSlash('/docs__review file="a b.ts" focus=speed')).toBe('Review a.ts.')
  expect(main.requests.at(-1)?.params).toEqual({
    command: 'docs__review',
    args: { file: 'a b.ts', focus: 'speed' },
  })
})

it('finds a prompt of a plug-in by its own name if no other has it, and never instead of a built-in command', async () => {
  const prompt = (name: string) => ({ name, description: '', hint: '', source: 'plugin' as const })
  main.responses['prompts.list'] = () => [
    ...['forge:inspect', 'forge:temper', 'other:temper', 'forge:help'].map(prompt),
    { ...prompt('fold'), source: 'user' as const },
    prompt('forge:fold'),
  ]
  main.responses['prompts.expand'] = ({ name }) => `The prompt ${name}.`
  expect(await runSlash('/forge:inspect')).toBe('The prompt forge:inspect.')
  expect(await runSlash('/inspect sword')).toBe('The prompt forge:inspect.')
  expect(await runSlash('/fold')).toBe('The prompt fold.')
  expect(await runSlash('/temper')).toBe('/temper')
  expect(await runSlash('/help')).toBe('')
  expect((await slashSuggestions('inspect'))[0]).toMatchObject({ label: '/forge:inspect', detail: '· Plug-in' })
})

it('keeps the message if the arguments of a prompt are not clear', async () => {
  expect(await runSlash('/docs__review the first file')).toBe('/docs__review the first file')
  expect(main.requests.some(({ method }) => method === 'mcp.prompt')).toBe(false)
})

it.each([
  ['', {}],
  ['file=a', { file: 'a' }],
  ['file="" focus="x y"', { file: '', focus: 'x y' }],
  ['other=1', undefined],
  ['file=a and more', undefined],
])('reads the arguments %j', (text, expected) => {
  expect(promptArguments(text, args)).toEqual(expected)
})

it('takes the whole text as the only argument', () => {
  expect(promptArguments('any text, a=b', args.slice(0, 1))).toEqual({ file: 'any text, a=b' })
})

it('suggests resources, and templates up to what the user completes', async () => {
  expect((await mentionSuggestions('guide')).map(({ insert }) => insert)).toEqual([
    '@mcp:docs/guide://start',
    '@mcp:docs/guide://page/',
  ])
})
