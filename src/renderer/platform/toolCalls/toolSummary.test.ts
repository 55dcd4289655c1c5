import { describe, expect, it } from 'vitest'
import { formatDuration } from '../../../shared/text/formatDuration.ts'
import { titleFromToolName, mainArgument, parseArguments } from '../../../shared/tools/callArguments.ts'
import { outcomeText, summarizeCall, toolIcon } from './toolSummary.ts'

describe('the summary of a tool call', () => {
  it('shows the most informative argument', () => {
    expect(mainArgument({ cwd: '.', command: 'npm test\n' })).toBe('npm test')
    expect(mainArgument({ program: 'git', args: ['log', '-1'] })).toBe('git log -1')
    expect(mainArgument({ path: 'src/a.ts', start_line: 3, end_line: 9 })).toBe('src/a.ts:3–9')
    expect(mainArgument({ path: '.', pattern: 'TODO' })).toBe('TODO')
    expect(mainArgument({ from: 'a.ts', to: 'b.ts' })).toBe('a.ts → b.ts')
    expect(mainArgument({ something: 'else' })).toBe('else')
    expect(mainArgument({ paths: ['src/*.ts', 'README.md'] })).toBe('src/*.ts, README.md')
    expect(mainArgument({ calls: [{ tool: 'read_file' }, { tool: 'list_dir' }] })).toBe('read_file, list_dir')
    expect(
      mainArgument({ patch: '*** Begin Patch\n*** Update File: a.ts\n-x\n+y\n*** Delete File: b.ts\n*** End Patch' }),
    ).toBe('a.ts, b.ts')
    expect(mainArgument({})).toBe('')
  })

  it('shows the effective arguments instead of those of the model', () => {
    const result = {
      ok: true,
      text: '',
      view: { kind: 'text' as const },
      elapsedMs: 1,
      arguments: { command: 'ls' },
      truncated: false,
    }
    expect(summarizeCall({ name: 'run_command', arguments: '{"command":"rm -rf x"}', result }, undefined)).toEqual({
      icon: 'terminal',
      title: 'Run command',
      argument: 'ls',
    })
  })

  it('counts the locations of an investigation, not matches', () => {
    const found = { kind: 'matches' as const, pattern: 'x', matches: [], total: 2, truncated: false }
    expect(outcomeText(found)).toBe('2 matches')
    expect(outcomeText({ ...found, summary: 'Once.' })).toBe('2 locations')
  })

  it('accepts incomplete arguments', () => {
    expect(parseArguments('{"path": "src/')).toBeUndefined()
    expect(summarizeCall({ name: 'read_file', arguments: '{"path": "src/' }, undefined).argument).toBe('')
  })

  it('has an icon and a title for an unknown tool', () => {
    expect(toolIcon('frobnicate')).toBe('tools')
    expect(toolIcon('Bash')).toBe(toolIcon('run_command'))
    expect(titleFromToolName('grep_search')).toBe('Grep search')
  })

  it.each([
    [12, '12 ms'],
    [2400, '2.4 s'],
    [42_000, '42 s'],
    [65_000, '1 min 05 s'],
  ])('formats %i ms as %s', (milliseconds, text) => {
    expect(formatDuration(milliseconds)).toBe(text)
  })
})
