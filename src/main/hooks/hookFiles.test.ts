import { describe, expect, it } from 'vitest'
import { parseHookFile, possibleScriptsOfPlugin } from './hookFiles.ts'

const claude = '.claude/settings.json'
const codex = '.codex/hooks.json'
const command = { type: 'command', command: './check.sh' }
const parse = (source: string, hooks: unknown, more = {}) => parseHookFile(source, JSON.stringify({ hooks, ...more }))

it('reads the hooks of Claude Code and Codex in their order, with limits of time', () => {
  const hooks = {
    PreToolUse: [{ matcher: 'Bash', hooks: [{ ...command, timeout: 5 }, command] }],
    Stop: [{ hooks: [command] }],
  }
  for (const source of [claude, codex])
    expect(parse(source, hooks, { permissions: { allow: ['Bash(ls)'] } })).toEqual({
      problems: [],
      unreadable: false,
      unused: [],
      definitions: [
        { source, event: 'PreToolUse', matcher: 'Bash', command: './check.sh', timeout: 5 },
        { source, event: 'PreToolUse', matcher: 'Bash', command: './check.sh', timeout: 60 },
        { source, event: 'Stop', matcher: '', command: './check.sh', timeout: 60 },
      ],
    })
  const long = parse(codex, {
    Stop: [
      {
        matcher: null,
        hooks: [
          { ...command, timeout: 1e9 },
          { ...command, timeout: -1 },
        ],
      },
    ],
  })
  expect(long.definitions.map(({ timeout }) => timeout)).toEqual([600, 60])
})

it.each([
  ['an event of others', { PreCompact: [{ hooks: [command] }] }, 'PreCompact'],
  ['a group that is no list', { Stop: { hooks: [command] } }, 'a list of objects'],
  ['a prompt', { Stop: [{ hooks: [{ type: 'prompt', prompt: 'x' }] }] }, 'the type "prompt"'],
  ['no command', { Stop: [{ hooks: [{ type: 'command' }] }] }, 'no command'],
  ['arguments', { Stop: [{ hooks: [{ ...command, args: ['x'] }] }] }, '"args"'],
  ['another shell', { Stop: [{ hooks: [{ ...command, shell: 'powershell' }] }] }, 'bash only'],
  ['a text instead of a hook', { Stop: [{ hooks: ['x'] }] }, 'not an object'],
])('lists %s as not used', (_, hooks, problem) => {
  const found = parse(claude, hooks)
  expect(found.definitions).toEqual([])
  expect(found.problems.join()).toContain(problem)
})

it('tells a file that cannot be read apart from one without hooks', () => {
  expect(parseHookFile(claude, '{')).toMatchObject({ definitions: [], unreadable: true })
  expect(parseHookFile(claude, '{"hooks": []}')).toMatchObject({ definitions: [], unreadable: true })
  expect(parseHookFile(claude, '')).toMatchObject({ definitions: [], problems: [], unreadable: false })
  expect(parseHookFile(claude, '{"model": "x"}')).toMatchObject({ problems: [], unreadable: false })
  expect(parse(claude, { Stop: [{ hooks: [command] }] }, { disableAllHooks: true }).definitions).toEqual([])
})

describe('a command of a plug-in', () => {
  const scripts = (command: string) =>
    possibleScriptsOfPlugin(command, (name) => ['bash', 'node', 'bun', 'npx', 'uv', 'npm', 'make'].includes(name))

  it.each([
    'bash "${CLAUDE_PLUGIN_ROOT}"/check.sh',
    'bash "${CLAUDE_PLUGIN_ROOT}/check.sh"',
    '  node ${CODEX_PLUGIN_ROOT}/check.mjs',
    'node $PLUGIN_ROOT/check.mjs',
    'bun "${CLAUDE_PLUGIN_ROOT}"/check.ts',
    'bun run "${CLAUDE_PLUGIN_ROOT}"/check.ts | node "${CLAUDE_PLUGIN_ROOT}"/format.mjs',
    'uv run ${CLAUDE_PLUGIN_ROOT}/check.py && bash "${CLAUDE_PLUGIN_ROOT}"/b.sh',
    'npx some-guard',
  ])('names no file of the folder with %s', (command) => {
    const own = ['run', 'some-guard']
    expect(scripts(command).filter((word) => !word.startsWith('/') && !own.includes(word) && word !== '')).toEqual([])
  })

  it.each([
    ['bash rules.sh', 'rules.sh'],
    ['bash bash', 'bash'],
    ['unknown "${CLAUDE_PLUGIN_ROOT}"/x', 'unknown'],
    ['node "${CLAUDE_PLUGIN_ROOT}"/x.mjs "$CLAUDE_PROJECT_DIR"/rules.json', './rules.json'],
    ['node -u "$CLAUDE_PROJECT_DIR"/rules', './rules.js'],
    ['uv run ./tools --strict', './tools/__main__.py'],
    ['npm run check', 'package.json'],
    ['bun run check', 'package.json'],
    ['make check', 'Makefile'],
  ])('finds the files that %s names', (command, script) => {
    expect(scripts(command)).toContain(script)
  })
})
