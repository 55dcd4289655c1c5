import { beforeAll, describe, expect, it } from 'vitest'
import { promptProfiles } from '../../../shared/agent/promptProfile.ts'
import type { JsonSchema } from '../../../shared/tools/tool.ts'
import { hostileSchemas, object } from '../../testing/hostileSchemas.ts'
import { loadGrammarParser, type GrammarParser } from '../../testing/llama/grammarParser.ts'
import { toolsGrammar } from '../../model/file/toolsGrammar.ts'
import { bladeToolset } from '../blade/bladeToolset.ts'
import { grammarSafeSchema } from './grammarSafe.ts'
import { offeredTools } from '../promptTools.ts'
import { rustantToolset } from '../rustant/rustantToolset.ts'
import { rustyToolset } from '../rusty/rustyToolset.ts'
import { tizonaTools } from '../tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from '../ultrasushitron/ultraSushiTronToolset.ts'

// Checks the assumptions of `grammarSafe.test.ts` with llama.cpp's own grammar parser, which npm installs on first use.

const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const downloadMs = 240_000

let loaded: GrammarParser | { missing: string }
beforeAll(async () => {
  loaded = await loadGrammarParser()
}, downloadMs)

/** Returns the parser, or skips the test with the reason. */
function parserFor(test: { skip(why: string): never }): GrammarParser {
  if (!('missing' in loaded)) return loaded
  return test.skip(`llama.cpp's grammar parser is not here: ${loaded.missing}`)
}

const probe = (parameters: JsonSchema) => toolsGrammar([{ name: 'probe', parameters }])
const call = (name: string, args: unknown) => JSON.stringify({ name, arguments: args })

describe.each(toolsets)('the schemas of $name', (toolset) => {
  const tools = [...toolset.tools, ...tizonaTools]

  it.for(promptProfiles)('form one grammar that llama.cpp accepts in the profile %s', (profile, test) => {
    const parser = parserFor(test)
    const offered = offeredTools(toolset, tools, profile)
    const grammar = toolsGrammar(offered)
    parser.compile(grammar)
    parser.compile(toolsGrammar(offered.map((tool) => ({ ...tool, parameters: tool.bounded?.() ?? tool.parameters }))))
    const free = offered.find(
      ({ parameters }) =>
        !Array.isArray(parameters['required']) && Object.keys(parameters['properties'] ?? {}).length > 0,
    )
    if (free) expect(parser.accepts(grammar, call(free.name, {}))).toBe(true)
    expect(parser.accepts(grammar, call('no_such_tool', {}))).toBe(false)
  })
})

describe('schemas of MCP servers', () => {
  it.for(hostileSchemas)('with %s form a grammar that llama.cpp accepts', ([, schema], test) => {
    parserFor(test).compile(probe(grammarSafeSchema(schema)))
  })

  it('together form one grammar', (test) => {
    parserFor(test).compile(
      toolsGrammar(
        hostileSchemas.map(([, schema], at) => ({ name: `mcp_${at}`, parameters: grammarSafeSchema(schema) })),
      ),
    )
  })
})

describe('the grammar', () => {
  const schema = object(
    {
      line: { type: 'integer', minimum: 1, maximum: 250 },
      least: { type: 'integer', minimum: 12 },
      most: { type: 'integer', maximum: -3 },
      kind: { enum: ['a', 'b c'] },
      tags: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1, maxItems: 2 },
      value: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      env: { type: 'object', additionalProperties: { type: 'boolean' } },
      when: { type: 'string', format: 'date' },
    },
    { required: ['line'] },
  )

  it.for([
    { line: 1 },
    { line: 250 },
    { line: 99, kind: 'b c', tags: ['x', 'yes'], value: null, env: { a: true }, when: '2026-11-22' },
    { line: 7, least: 12 },
    { line: 7, least: 9000 },
    { line: 7, most: -40 },
  ])('accepts %j', (args, test) => {
    expect(parserFor(test).accepts(probe(grammarSafeSchema(schema)), call('probe', args))).toBe(true)
  })

  it.for([
    {},
    { line: 0 },
    { line: 251 },
    { line: 'x' },
    { line: 7, least: 11 },
    { line: 7, most: 2 },
    { line: 7, kind: 'c' },
    { line: 7, tags: [] },
    { line: 7, tags: ['a', 'b', 'c'] },
    { line: 7, env: { a: 1 } },
  ])('refuses %j', (args, test) => {
    expect(parserFor(test).accepts(probe(grammarSafeSchema(schema)), call('probe', args))).toBe(false)
  })
})

describe('llama.cpp refuses the original schema, but accepts the one that is sent:', () => {
  it('but accepts a pattern without classes', (test) => {
    parserFor(test).compile(probe(object({ a: { type: 'string', pattern: 'abc' } })))
  })

  it.for<[what: string, schema: JsonSchema]>([
    ['a character class in a pattern', object({ a: { type: 'string', pattern: String.raw`\d+` } })],
    ['a hundred thousand characters at least', object({ a: { type: 'string', minLength: 100_000 } })],
    [
      'a hundred thousand items at least',
      object({ a: { type: 'array', items: { type: 'array', items: { type: 'string' }, minItems: 100_000 } } }),
    ],
  ])('%s', ([, schema], test) => {
    const parser = parserFor(test)
    expect(() => parser.compile(probe(schema))).toThrow('Failed to parse grammar')
    parser.compile(probe(grammarSafeSchema(schema)))
  })
})
