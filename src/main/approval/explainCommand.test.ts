import { describe, expect, it } from 'vitest'
import type { ApprovalRule } from '../../shared/tools/approvalRules.ts'
import { modes, type Mode } from '../../shared/tools/risk.ts'
import { explainCommand, type CommandFacts } from './explainCommand.ts'
import { commandKinds, commandTable, type CommandKind } from './modePolicy.ts'
import { testExaminer } from './testing/testExaminer.ts'

const sandboxed = { sandboxed: true, network: false } as const
const unsandboxed = { sandboxed: false, reason: 'not available' } as const
const rule = (
  decision: ApprovalRule['decision'],
  pattern: string,
  match: ApprovalRule['match'] = 'prefix',
): ApprovalRule => ({ decision, match, pattern, folder: null })

function facts(rest: Partial<CommandFacts> = {}): CommandFacts {
  const commands = [['npm', 'test']]
  return {
    line: 'npm test',
    mode: 'safe',
    parsed: { plain: true, commands },
    found: undefined,
    readOnly: [{ covered: false, why: 'No read-only rule covers `npm`.' }],
    insidePaths: [new Set()],
    rules: [],
    sandbox: unsandboxed,
    trusted: true,
    losses: [],
    ...rest,
  }
}

const kindFacts: Readonly<Record<CommandKind, Partial<CommandFacts>>> = {
  readOnly: { readOnly: [{ covered: true, rule: 'ls' }] },
  ruled: { rules: [rule('allow', 'npm test')] },
  sandboxed: { sandbox: sandboxed },
  other: {},
}

describe('the matrix', () => {
  it.each(modes)('decides every kind of command line in %s mode', (mode) => {
    for (const kind of Object.keys(commandKinds) as CommandKind[])
      expect(explainCommand(facts({ mode, ...kindFacts[kind] })).verdict, kind).toBe(commandTable[mode][kind])
  })

  it.each<[string, Partial<CommandFacts>, string]>([
    ['outside the sandbox', {}, 'outside the sandbox (not available)'],
    ['with network', { sandbox: { sandboxed: true, network: true } }, 'with network'],
    ['in an untrusted folder', { sandbox: sandboxed, trusted: false }, 'not trusted'],
    ['that deletes permanently', { sandbox: sandboxed, losses: ['It deletes files.'] }, 'permanently'],
    [
      'that cannot be parsed',
      { sandbox: sandboxed, parsed: { plain: false, reason: 'It expands a variable.' } },
      'expands',
    ],
  ])('cautious mode requires approval for a command %s', (_what, rest, reason) => {
    const explanation = explainCommand(facts({ mode: 'cautious', ...rest }))
    expect(explanation.verdict).toBe('ask')
    expect(explanation.reason).toContain(reason)
  })

  it.each(modes)('a place that needs approval is not allowed in %s mode', (mode) => {
    const verdict = explainCommand(facts({ mode, sandbox: sandboxed, place: 'The command names .env' })).verdict
    expect(verdict).toBe(mode === 'plan' ? 'refuse' : 'ask')
  })
})

describe('rules of the user', () => {
  const examined = async (line: string, rules: ApprovalRule[], mode: Mode = 'safe') =>
    (await testExaminer({ rules: () => rules })({ line, cwd: '.', mode, sandbox: sandboxed })).explanation

  it.each<[string, ApprovalRule]>([
    ['npm test', rule('allow', 'npm test', 'exact')],
    ['npm test -- --watch=false', rule('allow', 'npm test')],
    ['npm run build', rule('allow', 'npm run <name>', 'form')],
    ['kill 123', rule('allow', 'kill <number>', 'form')],
    ['npm test && npm test -- x', rule('allow', 'npm test')],
    ['echo $HOME', rule('allow', 'echo $HOME', 'exact')],
  ])('allow %s', async (line, allowed) => {
    expect(await examined(line, [allowed])).toMatchObject({ verdict: 'allow', source: 'rule' })
    expect((await examined(line, [])).verdict).toBe('ask')
  })

  it.each<[string, ApprovalRule]>([
    ['npm testing', rule('allow', 'npm test')],
    ['npm test && npm publish', rule('allow', 'npm test')],
    ['npm test; id', rule('allow', 'npm test', 'exact')],
    ['npm run build --if-present', rule('allow', 'npm run <name>', 'form')],
    ['npm run ../x', rule('allow', 'npm run <name>', 'form')],
    ['npm $(id) test', rule('allow', 'npm')],
  ])('that allow another command do not allow %s', async (line, allowed) => {
    expect((await examined(line, [allowed])).verdict).toBe('ask')
  })

  it.each([
    'rm -rf x',
    '/bin/rm x',
    String.raw`\rm x`,
    'ls && rm x',
    'ls | xargs rm',
    'env A=1 rm x',
    'A=1 rm x',
    'sudo -u root rm x',
    'sh -c "ls; rm x"',
    "bash -lc 'rm x'",
    'timeout 5 nice rm x',
    '(rm x)',
    'echo $(rm x)',
    'if true; then rm x; fi',
    'find . -exec rm {} +',
    'r""m x',
    `${'true; '.repeat(60)}rm x`,
    'ls & rm x',
    'watch "rm x"',
  ])('that deny a program refuse it in every mode and form: %s', async (line) => {
    for (const mode of modes)
      expect(await examined(line, [rule('allow', 'rm'), rule('deny', 'rm')], mode)).toMatchObject({
        verdict: 'refuse',
        source: 'rule',
        rule: 'Deny rm …',
      })
  })

  it('deny wins over allow, and ask wins over allow, whatever their order', async () => {
    for (const decision of ['deny', 'ask'] as const) {
      for (const rules of [
        [rule('allow', 'npm test', 'exact'), rule(decision, 'npm')],
        [rule(decision, 'npm'), rule('allow', 'npm test', 'exact')],
      ])
        expect((await examined('npm test', rules, 'yolo')).verdict).toBe(decision === 'deny' ? 'refuse' : 'ask')
    }
  })

  it('that deny require approval in yolo mode for a line that is too long to search', async () => {
    const long = `echo ${'x'.repeat(200_000)}`
    expect((await examined(long, [rule('deny', 'rm')], 'yolo')).verdict).toBe('ask')
    expect((await examined(long, [], 'yolo')).verdict).toBe('allow')
  })

  it('do not run commands in plan mode', async () => {
    expect((await examined('npm test', [rule('allow', 'npm test')], 'plan')).verdict).toBe('refuse')
  })

  it('of another folder do not apply', async () => {
    const own = { ...rule('allow', 'npm test'), folder: '/work/a' }
    const inFolder = async (folder: string) =>
      (
        await testExaminer({ rules: () => [own], folders: () => ({ all: [folder], own: [folder] }) })({
          line: 'npm test',
          cwd: '.',
          mode: 'safe',
          sandbox: sandboxed,
        })
      ).explanation.verdict
    expect([await inFolder('/work/a'), await inFolder('/work/b'), await inFolder('/work/a/b')]).toEqual([
      'allow',
      'ask',
      'ask',
    ])
  })
})

it('explains each command of a line with its rule', () => {
  const commands = [['ls', 'src'], ['npm', 'test'], ['id']]
  const explanation = explainCommand(
    facts({
      line: 'ls src && npm test; id',
      parsed: { plain: true, commands },
      readOnly: [
        { covered: true, rule: 'ls' },
        { covered: false, why: 'No read-only rule covers `npm`.' },
        { covered: false, why: 'No read-only rule covers `id`.' },
      ],
      rules: [rule('allow', 'npm test')],
    }),
  )
  expect(explanation).toMatchObject({ verdict: 'ask', source: 'mode' })
  expect(explanation.commands).toEqual([
    { command: 'ls src', verdict: 'allow', source: 'readOnly', rule: 'ls', why: 'Read-only: the built-in rule `ls`.' },
    {
      command: 'npm test',
      verdict: 'allow',
      source: 'rule',
      rule: 'Allow npm test …',
      why: 'The rule "Allow npm test …" allows it.',
    },
    { command: 'id', verdict: 'ask', source: 'mode', why: 'Not read-only. No read-only rule covers `id`.' },
  ])
})
