import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ToolError } from '../../../shared/errors.ts'
import { parseArguments, readArguments } from './coerceArguments.ts'
import { defineTool } from '../common/toolDefinition.ts'

const tool = defineTool({
  name: 'look',
  title: 'Look',
  description: 'Looks.',
  risk: 'read',
  schema: () =>
    z.object({
      path: z.string().min(1).describe('Where.'),
      line: z.number().int().min(1).max(9).default(1).describe('Line.'),
      deep: z.boolean().optional().describe('Deep.'),
      how: z.enum(['text', 'json']).optional().describe('How.'),
      globs: z.array(z.string()).optional().describe('Globs.'),
      parts: z
        .array(z.strictObject({ name: z.string(), size: z.number().int().optional() }))
        .optional()
        .describe('Parts.'),
    }),
  parameterAliases: { file_path: 'path', File: 'path' },
  examples: [{ path: 'src/main.rs' }],
  run: () => Promise.resolve({ text: '' }),
})

function failure(raw: unknown): ToolError {
  try {
    parseArguments(tool, raw)
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('the arguments were expected to be refused')
}

describe('parseArguments accepts', () => {
  test('an object or its JSON text, and fills in defaults', () => {
    expect(parseArguments(tool, { path: 'a' })).toEqual({ path: 'a', line: 1 })
    expect(parseArguments(tool, '{"path": "a", "line": 2}')).toEqual({ path: 'a', line: 2 })
    expect(parseArguments(tool, JSON.stringify('{"path": "a"}'))).toEqual({ path: 'a', line: 1 })
  })

  test('the real object after an empty one', () => {
    expect(parseArguments(tool, '{} {"path": "a"}')).toEqual({ path: 'a', line: 1 })
    expect(parseArguments(tool, '{}{ }{"path": "{}{}"}')).toEqual({ path: '{}{}', line: 1 })
  })

  test.each([null, undefined, '', ' ', 'null', '{}'])('%o as no arguments', (raw) => {
    expect(failure(raw).message).toBe('"path" is missing (also accepted as "file_path", "File").')
  })

  test('aliases, two names with the same value, and null for an omitted argument', () => {
    expect(parseArguments(tool, { file_path: 'a' })).toEqual({ path: 'a', line: 1 })
    expect(parseArguments(tool, { path: 'a', File: 'a' })).toEqual({ path: 'a', line: 1 })
    expect(parseArguments(tool, { path: 'a', file_path: null, line: null, deep: null })).toEqual({ path: 'a', line: 1 })
  })

  test('numbers, booleans, lists and objects written as strings', () => {
    const parsed = parseArguments(tool, {
      path: 'a',
      line: ' 3 ',
      deep: 'True',
      globs: '["x"]',
      parts: [{ name: 'n', size: '12' }],
    })
    expect(parsed).toEqual({ path: 'a', line: 3, deep: true, globs: ['x'], parts: [{ name: 'n', size: 12 }] })
    expect(parseArguments(tool, { path: '12' })).toMatchObject({ path: '12' })
  })

  test('a single string or object instead of a list', () => {
    expect(parseArguments(tool, { path: 'a', globs: '*.ts' })).toMatchObject({ globs: ['*.ts'] })
    expect(parseArguments(tool, { path: 'a', parts: { name: 'n', size: '2' } })).toMatchObject({
      parts: [{ name: 'n', size: 2 }],
    })
    expect(parseArguments(tool, { path: 'a', parts: '{"name": "n", "size": "2"}' })).toMatchObject({
      parts: [{ name: 'n', size: 2 }],
    })
    expect(parseArguments(tool, { path: 'a', parts: '[{"name": "n", "size": "2"}]' })).toMatchObject({
      parts: [{ name: 'n', size: 2 }],
    })
  })

  test('an enum value in another case', () => {
    expect(parseArguments(tool, { path: 'a', how: ' JSON' })).toMatchObject({ how: 'json' })
  })

  test.each([
    ["{'path': 'a', 'deep': True, 'line': None,}", { path: 'a', deep: true, line: 1 }],
    ['```json\n{"path": "a"}\n```', { path: 'a', line: 1 }],
    ['{"path": "a" "line": 2}', { path: 'a', line: 2 }],
    ['{path: "a", // where\n line: 2}', { path: 'a', line: 2 }],
    ['{"path": "two\nlines"}', { path: 'two\nlines', line: 1 }],
    ['{"path": "\\d+\\.ts"}', { path: '\\d+\\.ts', line: 1 }],
    ['{"path": "a", "globs": ["x", "y"}', { path: 'a', line: 1, globs: ['x', 'y'] }],
  ])('malformed JSON with a clear meaning: %j', (text, values) => {
    expect(readArguments(tool, text)).toEqual({ values, repaired: true })
  })

  test('and reports whether anything was repaired', () => {
    expect(readArguments(tool, '{"path": "a"}').repaired).toBe(false)
    expect(readArguments(tool, { path: 'a', line: '2' }).repaired).toBe(true)
  })

  test('null for an omitted field inside a list', () => {
    expect(parseArguments(tool, { path: 'a', parts: [{ name: 'n', size: null }] })).toEqual({
      path: 'a',
      line: 1,
      parts: [{ name: 'n' }],
    })
  })

  test('does not change its input', () => {
    const given = { path: 'a', parts: [{ name: 'n', size: '12' }] }
    parseArguments(tool, given)
    expect(given.parts[0]?.size).toBe('12')
  })
})

describe('parseArguments refuses', () => {
  test.each([
    [{ pth: 'a' }, 'look has no parameter "pth"; did you mean "path"?'],
    [{ path: 'a', zebra_crossing: 1 }, 'look has no parameter "zebra_crossing".'],
    [{ constructor: 1, path: 'a' }, 'look has no parameter "constructor".'],
    [
      { path: 'a', file_path: 'b' },
      '"path" and "file_path" are names of the same parameter, but have different values.',
    ],
    [{ path: ['a'] }, '"path" must be a string, but is a list of 1.'],
    [{ path: '' }, '"path" must not be empty, but is the string "".'],
    [{ path: 'a', line: 'three' }, '"line" must be a number, but is the string "three".'],
    [{ path: 'a', line: 1.5 }, '"line" must be an integer, but is the number 1.5.'],
    [{ path: 'a', line: 0 }, '"line" must be at least 1, but is the number 0.'],
    [{ path: 'a', line: 10 }, '"line" must be at most 9, but is the number 10.'],
    [{ path: 'a', deep: 'yes' }, '"deep" must be true or false, but is the string "yes".'],
    [{ path: 'a', how: 'xml' }, '"how" must be "text" or "json", but is the string "xml".'],
    [{ path: 'a', globs: '[x' }, '"globs" must be a list, but is the string "[x".'],
    [{ path: 'a', parts: [{ size: 1 }] }, '"parts[0].name" is missing.'],
    [{ path: 'a', parts: [{ name: 'n', siez: 1 }] }, '"parts[0]" has no field "siez".'],
    [['a'], 'The arguments must be an object, but are a list of 1.'],
    ['7', 'The arguments must be an object, but are the number 7.'],
  ])('%j', (raw, message) => {
    expect(failure(raw)).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining(message) })
  })

  test.each([
    '{"path": "src/ma',
    '{"path": "a"',
    '{"path": "a",',
    '{"path": "function() { return 1 }',
    '{"path": "a", "parts": [{"name": "x"}',
    '```json\n{"path": "a", "line": 1',
    "{'path': 'a}",
    '{"path": "ends in a backslash\\',
  ])('truncated JSON, without guessing its end: %j', (text) => {
    expect(failure(text)).toMatchObject({ code: 'invalid_arguments', message: expect.stringContaining('cut off') })
    expect(failure(text).next).toContain('smaller pieces')
  })

  test.each(['{"path": "a", "globs": ["x", ...]}', '{"path": nonsense here: [}}', 'path=a'])(
    'JSON that cannot be repaired without guessing: %j',
    (text) => {
      expect(failure(text)).toMatchObject({
        code: 'invalid_arguments',
        message: expect.stringContaining('not valid JSON'),
      })
    },
  )

  test('repairs and conversions that a benchmark disables', () => {
    expect(() => readArguments(tool, "{'path': 'a'}", { repair: false, coerce: true })).toThrow('not valid JSON')
    expect(() => readArguments(tool, { path: 'a', line: '2' }, { repair: true, coerce: false })).toThrow(
      'must be a number',
    )
  })

  test('with a hint that shows the parameters and an example', () => {
    expect(failure({}).next).toBe(
      'look takes {"path": string, "line"?: integer = 1, "deep"?: boolean, "how"?: "text" | "json", "globs"?: [string, …], ' +
        '"parts"?: [{"name": string, "size"?: integer}, …]}. For example: {"path":"src/main.rs"}',
    )
  })
})
