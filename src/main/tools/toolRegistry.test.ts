import { expect, test } from 'vitest'
import { z } from 'zod'
import { createToolRegistry } from './toolRegistry.ts'
import { defineTool, type Tool } from './common/toolDefinition.ts'
import { truncateBlade } from './blade/bladeTruncation.ts'

const tool = (name: string, aliases: string[] = []): Tool =>
  defineTool({
    name,
    aliases,
    title: name,
    description: `${name}.`,
    risk: 'read',
    schema: () => z.object({}),
    run: async () => ({ text: name }),
  })

const readFile = tool('read_file')
const todoWrite = tool('todo_write', ['update_plan'])
const blade = { name: 'blade' as const, title: 'Blade', tools: [readFile], truncate: truncateBlade }

test('common tools are listed after those of every toolset, and are found by name and alias', () => {
  const registry = createToolRegistry([blade], () => [todoWrite])
  expect(registry.tools('blade')).toEqual([readFile, todoWrite])
  expect(registry.find('blade', 'todo_write')).toBe(todoWrite)
  expect(registry.find('blade', 'update_plan')).toBe(todoWrite)
})

test("a search in a toolset's own tools neither finds nor suggests common ones", () => {
  const registry = createToolRegistry([blade], () => [todoWrite])
  expect(registry.findOwn('blade', 'read_file')).toBe(readFile)
  for (const name of ['todo_write', 'update_plan', 'todo_wite']) {
    expect(() => registry.findOwn('blade', name)).toThrow(
      expect.objectContaining({ code: 'unknown_tool', next: 'Available tools: read_file.' }),
    )
  }
})

test("a toolset's own tool takes precedence over a common one of the same name", () => {
  const registry = createToolRegistry([blade], () => [tool('read_file'), todoWrite])
  expect(registry.find('blade', 'read_file')).toBe(readFile)
  expect(registry.tools('blade')).toEqual([readFile, todoWrite])
})

test('common tools are listed again for each lookup, because they can change', () => {
  const common: Tool[] = []
  const registry = createToolRegistry([blade], () => common)
  expect(() => registry.find('blade', 'todo_write')).toThrow(expect.objectContaining({ code: 'unknown_tool' }))
  common.push(todoWrite)
  expect(registry.find('blade', 'todo_write')).toBe(todoWrite)
})

test('an unknown name causes a suggestion from all tools', () => {
  const registry = createToolRegistry([blade], () => [todoWrite])
  expect(() => registry.find('blade', 'todo_wite')).toThrow(
    expect.objectContaining({ code: 'unknown_tool', next: 'Did you mean todo_write?' }),
  )
})

test('a disabled tool is not in prompts, suggested or found, but listed with its reason', () => {
  let off = true
  const registry = createToolRegistry(
    [blade],
    () => [todoWrite],
    (toolset, { name }) => (off && toolset === 'blade' && name === 'todo_write' ? 'settings' : undefined),
  )
  expect(registry.tools('blade')).toEqual([readFile])
  expect(registry.all('blade')).toEqual([
    { tool: readFile, off: undefined },
    { tool: todoWrite, off: 'settings' },
  ])
  for (const name of ['todo_write', 'update_plan']) {
    expect(() => registry.find('blade', name)).toThrow(
      expect.objectContaining({
        code: 'switched_off',
        message: expect.stringContaining('todo_write'),
        next: expect.stringContaining('Settings'),
      }),
    )
  }
  expect(() => registry.find('blade', 'todo_wite')).toThrow(
    expect.objectContaining({ code: 'unknown_tool', next: 'Available tools: read_file.' }),
  )
  off = false
  expect(registry.find('blade', 'update_plan')).toBe(todoWrite)
})
