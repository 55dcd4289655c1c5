import { describe, expect, test } from 'vitest'
import { allFeatures } from '../../base/features.ts'
import { ToolError } from '../../../shared/errors.ts'
import { toolsetNames, type ToolsetName } from '../../../shared/tools/risk.ts'
import { bladeToolset } from '../blade/bladeToolset.ts'
import { toolsByCapability } from './foreignTools.ts'
import { createToolRegistry } from '../toolRegistry.ts'
import { resolveCall, resolveTool, type CallableTools } from './resolveCall.ts'
import { rustantToolset } from '../rustant/rustantToolset.ts'
import { rustyToolset } from '../rusty/rustyToolset.ts'
import { ultraSushiTronToolset } from '../ultrasushitron/ultraSushiTronToolset.ts'

const registry = createToolRegistry([bladeToolset, rustantToolset, rustyToolset, ultraSushiTronToolset])
const callable = (toolset: ToolsetName): CallableTools => ({
  toolset,
  tools: registry.tools(toolset),
  find: (name) => registry.find(toolset, name),
})

function resolved(toolset: ToolsetName, name: string, args: unknown, nested = false): unknown[] {
  const { tool, values } = resolveCall(callable(toolset), name, args, allFeatures, nested)
  return [tool.name, values]
}
function failure(toolset: ToolsetName, name: string, args: unknown, nested = false): ToolError {
  try {
    resolveCall(callable(toolset), name, args, allFeatures, nested)
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('It succeeded.')
}

test('every capability names a tool that its toolset has', () => {
  for (const tools of Object.values(toolsByCapability))
    for (const name of toolsetNames)
      if (tools[name] !== undefined) expect(registry.find(name, tools[name]).name).toBe(tools[name])
})

describe('names of other systems', () => {
  test.each<[ToolsetName, string, Record<string, unknown>, string, Record<string, unknown>]>([
    // Claude Code.
    [
      'blade',
      'Bash',
      { command: 'ls', description: 'List', timeout: 120_000 },
      'run_command',
      { command: 'ls', timeout_ms: 120_000 },
    ],
    ['rustant', 'Bash', { command: 'ls', timeout: 90_500 }, 'shell_exec', { command: 'ls', timeout_secs: 91 }],
    ['blade', 'Read', { file_path: 'a', offset: 0 }, 'read_file_range', { path: 'a', start_line: 1 }],
    ['blade', 'Read', { file_path: 'a' }, 'read_file', { path: 'a' }],
    [
      'blade',
      'Read',
      { file_path: 'a', offset: 10, limit: 5 },
      'read_file_range',
      { path: 'a', start_line: 10, end_line: 15 },
    ],
    ['rusty', 'Read', { file_path: 'a', offset: 10, limit: 5 }, 'file_read', { path: 'a', offset: 9, limit: 6 }],
    [
      'blade',
      'Edit',
      { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: false },
      'edit_file',
      { path: 'a', old_content: 'b', new_content: 'c' },
    ],
    [
      'blade',
      'MultiEdit',
      { file_path: 'a', edits: [{ old_string: 'b', new_string: 'c' }] },
      'apply_patch',
      { path: 'a', patches: [{ old_text: 'b', new_text: 'c' }] },
    ],
    ['rustant', 'Write', { file_path: 'a', content: 'b' }, 'file_write', { path: 'a', content: 'b' }],
    [
      'blade',
      'Grep',
      { pattern: 'x', '-n': true, '-i': true, output_mode: 'content' },
      'grep_search',
      { pattern: '(?i)x' },
    ],
    ['rustant', 'Glob', { pattern: '**/*.ts' }, 'file_search', { pattern: '**/*.ts' }],
    ['blade', 'LS', { path: 'src' }, 'list_dir', { path: 'src' }],
    [
      'rustant',
      'WebFetch',
      { url: 'https://example.com', prompt: 'What?' },
      'web_fetch',
      { url: 'https://example.com' },
    ],
    // Anthropic's editor tool.
    [
      'rusty',
      'str_replace_based_edit_tool',
      { command: 'view', path: 'a', view_range: [2, -1] },
      'file_read',
      { path: 'a', offset: 1 },
    ],
    [
      'ultrasushitron',
      'str_replace_editor',
      { command: 'create', path: 'a', file_text: 'b' },
      'Write',
      { file_path: 'a', content: 'b' },
    ],
    [
      'blade',
      'str_replace_editor',
      { command: 'str_replace', path: 'a', old_str: 'b', new_str: 'c' },
      'edit_file',
      { path: 'a', old_content: 'b', new_content: 'c' },
    ],
    // Cline, Roo Code.
    ['rustant', 'write_to_file', { path: 'a', content: 'b' }, 'file_write', { path: 'a', content: 'b' }],
    ['rustant', 'replace_in_file', { path: 'a', diff: 'd' }, 'file_patch', { path: 'a', patch: 'd' }],
    ['blade', 'execute_command', { command: 'ls', requires_approval: false }, 'run_command', { command: 'ls' }],
    ['ultrasushitron', 'search_files', { path: 'src', regex: 'x' }, 'Grep', { path: 'src', pattern: 'x' }],
    ['rustant', 'list_files', { path: 'src', recursive: false }, 'file_list', { path: 'src' }],
    // Codex.
    [
      'blade',
      'shell',
      { command: ['bash', '-lc', 'ls | wc'], workdir: 'src', timeout_ms: 5000 },
      'run_command',
      { command: 'ls | wc', cwd: 'src', timeout_ms: 5000 },
    ],
    ['rustant', 'container.exec', { cmd: ['echo', "it's"] }, 'shell_exec', { command: "echo 'it'\\''s'" }],
    [
      'blade',
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: a\n-b\n+c\n*** End Patch' },
      'apply_patch',
      { path: 'a' },
    ],
    // Gemini CLI, Qwen Code.
    [
      'rustant',
      'read_file',
      { absolute_path: 'a', offset: 0, limit: 20 },
      'file_read',
      { path: 'a', start_line: 1, end_line: 20 },
    ],
    [
      'blade',
      'replace',
      { file_path: 'a', old_string: 'b', new_string: 'c', instruction: 'why', expected_replacements: 1 },
      'edit_file',
      { path: 'a', old_content: 'b', new_content: 'c' },
    ],
    ['ultrasushitron', 'run_shell_command', { command: 'ls', description: 'x' }, 'Bash', { command: 'ls' }],
    // opencode, Cursor, Copilot.
    [
      'rusty',
      'edit',
      { filePath: 'a', oldString: 'b', newString: 'c' },
      'file_edit',
      { path: 'a', old_string: 'b', new_string: 'c' },
    ],
    [
      'blade',
      'run_terminal_cmd',
      { command: 'ls', is_background: false, explanation: 'x' },
      'run_command',
      { command: 'ls' },
    ],
    [
      'rustant',
      'read_file',
      {
        target_file: 'a',
        should_read_entire_file: false,
        start_line_one_indexed: 3,
        end_line_one_indexed_inclusive: 9,
      },
      'file_read',
      { path: 'a', start_line: 3, end_line: 9 },
    ],
    [
      'rusty',
      'replace_string_in_file',
      { filePath: 'a', oldString: 'b', newString: 'c' },
      'file_edit',
      { path: 'a', old_string: 'b', new_string: 'c' },
    ],
  ])('%s: %s %j', (toolset, name, args, tool, values) => {
    const expected = [tool, expect.objectContaining(values)]
    expect(resolved(toolset, name, args)).toEqual(expected)
    expect(resolved(toolset, name, JSON.stringify(args))).toEqual(expected)
  })

  test.each<[ToolsetName, string]>([
    ['blade', 'functions.read_file'],
    ['blade', 'readFile'],
    ['blade', 'default_api:ReadFile'],
    ['rusty', 'fileRead'],
    ['rustant', 'FILE_READ'],
  ])('%s: %s is a spelling of its own tool', (toolset, name) => {
    expect(resolved(toolset, name, { path: 'a' })).toEqual([
      toolsByCapability.read[toolset],
      expect.objectContaining({ path: 'a' }),
    ])
  })

  test('are named in the note, unlike a different notation of the same name', () => {
    expect(resolveCall(callable('blade'), 'Read', { file_path: 'a' }, allFeatures, false)).toMatchObject({
      repaired: true,
      note: '"Read" was called; "read_file" ran.',
    })
    expect(resolveCall(callable('blade'), 'read_file', { filePath: 'a' }, allFeatures, false).note).toBeUndefined()
  })
})

describe('parameters of other systems on a tool of the toolset', () => {
  test('select the tool that has them', () => {
    const call = resolveCall(
      callable('blade'),
      'read_file',
      { path: 'a', start_line: 3, end_line: 5 },
      allFeatures,
      false,
    )
    expect([call.tool.name, call.values]).toEqual([
      'read_file_range',
      expect.objectContaining({ path: 'a', start_line: 3, end_line: 5 }),
    ])
    expect(call.note).toContain('read_file_range')
  })

  test('are mapped to its own parameters', () => {
    expect(resolved('ultrasushitron', 'Read', { file_path: 'a', offset: 0 })).toEqual([
      'Read',
      expect.objectContaining({ file_path: 'a', offset: 1 }),
    ])
    expect(resolved('rustant', 'file_read', { target_file: 'a', startLine: 2 })).toEqual([
      'file_read',
      expect.objectContaining({ path: 'a', start_line: 2 }),
    ])
    expect(resolved('blade', 'run_command', { command: ['git', 'log', '--format=%h %s'] })).toEqual([
      'run_command',
      expect.objectContaining({ command: "git log '--format=%h %s'" }),
    ])
  })

  test('do not change arguments that the tool itself accepts', () => {
    expect(resolved('rusty', 'file_read', { path: 'a', offset: 10, limit: 5 })).toEqual([
      'file_read',
      { path: 'a', offset: 10, limit: 5 },
    ])
    expect(resolved('ultrasushitron', 'Bash', { command: 'ls', timeout: 300 })).toEqual([
      'Bash',
      { command: 'ls', timeout: 300 },
    ])
  })
})

describe('an ambiguous call is refused', () => {
  test.each<[ToolsetName, string, Record<string, unknown>]>([
    ['blade', 'Edit', { file_path: 'a', old_string: 'b', new_string: 'c', replace_all: true }],
    ['blade', 'Bash', { command: 'ls', timeout: 30 }],
    ['blade', 'Bash', { command: 'npm start', run_in_background: true }],
    ['blade', 'Grep', { pattern: 'x', glob: '*.ts' }],
    ['blade', 'search_files', { path: 'src', regex: 'x', file_pattern: '*.ts' }],
    ['rustant', 'shell', { command: 'ls', workdir: 'src' }],
    ['blade', 'Read', { file_path: 'a', path: 'b' }],
    ['blade', 'Read', { file_path: 'a', offset: 'ten' }],
    ['blade', 'edit_file', { target_file: 'a', instructions: 'b', code_edit: 'c' }],
  ])('%s: %s %j', (toolset, name, args) => {
    const { code, next } = failure(toolset, name, args)
    expect(code).toBe('invalid_arguments')
    expect(next).toContain(' takes {')
  })

  test('a tool that the toolset lacks: the error names the nearest one', () => {
    expect(failure('rustant', 'Edit', { file_path: 'a', old_string: 'b', new_string: 'c' })).toMatchObject({
      code: 'unknown_tool',
      next: expect.stringContaining('Use file_patch'),
    })
    expect(failure('rusty', 'Bash', { command: 'ls' }).code).toBe('unknown_tool')
    expect(failure('blade', 'WebFetch', { url: 'https://example.com' }).code).toBe('unknown_tool')
  })

  test('a nested call is resolved by its name only, so a tool with a command in its arguments is unknown', () => {
    expect(failure('blade', 'str_replace_editor', { command: 'create', path: 'a', file_text: 'b' }, true).code).toBe(
      'unknown_tool',
    )
    expect(resolveTool(callable('blade'), 'Bash').risk).toBe('execute')
  })

  test('a disabled tool cannot be called by another name', () => {
    const off = createToolRegistry(
      [bladeToolset],
      () => [],
      (_, { name }) => (name === 'run_command' ? 'settings' : undefined),
    )
    const tools = {
      toolset: 'blade' as const,
      tools: off.tools('blade'),
      find: (name: string) => off.find('blade', name),
    }
    for (const name of ['Bash', 'runCommand', 'functions.run_command']) {
      expect(() => resolveCall(tools, name, { command: 'ls' }, allFeatures, false)).toThrow(
        expect.objectContaining({ code: 'switched_off' }),
      )
    }
  })

  test('nothing is repaired if repair is disabled', () => {
    const without = { ...allFeatures, repair: false }
    expect(() => resolveCall(callable('blade'), 'Read', { file_path: 'a' }, without, false)).toThrow(
      expect.objectContaining({ code: 'unknown_tool' }),
    )
  })
})
