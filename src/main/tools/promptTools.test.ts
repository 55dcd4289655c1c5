import { getEncoding } from 'js-tiktoken'
import { describe, expect, it } from 'vitest'
import { profileFor } from '../../shared/agent/contextAllocation.ts'
import { promptProfiles, type PromptProfile } from '../../shared/agent/promptProfile.ts'
import { systemPrompt } from '../agent/conversation/systemPrompt.ts'
import type { ChatTool } from '../model/modelClient.ts'
import { estimateTokens } from '../model/tokens/usage.ts'
import type { Tool } from './common/toolDefinition.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import { offeredTools } from './promptTools.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { task, taskWith } from './tizona/taskTool.ts'
import { tizonaTools } from './tizona/tizonaTools.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const cl100k = getEncoding('cl100k_base')

/** Maximum tokens of the system prompt and the tools. */
const maxTokens: Record<string, Record<PromptProfile, number>> = {
  blade: { full: 9060, medium: 2600, compact: 1375, minimal: 700 },
  ultrasushitron: { full: 5180, medium: 2030, compact: 1345, minimal: 700 },
  rustant: { full: 5910, medium: 2315, compact: 1475, minimal: 700 },
  rusty: { full: 4030, medium: 1180, compact: 925, minimal: 490 },
}

/** Content of a request before the first message: the tools as sent, and our instructions in their longest mode. */
function sent(tools: readonly ChatTool[], profile: (typeof promptProfiles)[number]): string {
  const system = systemPrompt({
    workspaceName: 'a-usual-project',
    platform: 'linux',
    mode: 'cautious',
    profile,
    custom: '',
  })
  return `${system}${JSON.stringify(tools.map((tool) => ({ type: 'function', function: tool })))}`
}

describe.each(toolsets)('the profiles of $name', (toolset) => {
  // Each request contains these tokens. Who exceeds a limit shortens other texts, or raises it on purpose.
  it.each(promptProfiles)('%s takes no more tokens than its limit, counted and estimated', (profile) => {
    // Tizona's own tools are added to those of every toolset.
    const text = sent(offeredTools(toolset, [...toolset.tools, ...tizonaTools], profile), profile)
    const limit = maxTokens[toolset.name]?.[profile] ?? 0
    expect(estimateTokens(text)).toBeLessThanOrEqual(limit)
    expect(cl100k.encode(text).length).toBeLessThanOrEqual(limit)
  })

  it('full has all tools, medium more than the core, compact the core and minimal some of it, in the same order', () => {
    const names = (profile: (typeof promptProfiles)[number]) =>
      offeredTools(toolset, toolset.tools, profile).map(({ name }) => name)
    const [full, medium, compact, minimal] = promptProfiles.map(names)
    expect(full).toEqual(toolset.tools.map(({ name }) => name))
    expect(medium).toEqual(full?.filter((name) => medium?.includes(name)))
    expect(compact).toEqual(medium?.filter((name) => compact?.includes(name)))
    expect(medium?.toSorted()).toEqual(
      [...new Set([...Object.keys(toolset.core ?? {}), ...Object.keys(toolset.medium ?? {})])].toSorted(),
    )
    expect(minimal).toEqual(compact?.filter((name) => minimal?.includes(name)))
    expect(compact?.toSorted()).toEqual(Object.keys(toolset.core ?? {}).toSorted())
    expect(minimal?.length).toBeGreaterThan(2)
  })

  it('minimal reaches its other tools without naming them', () => {
    const offered = offeredTools(toolset, [...toolset.tools, ...tizonaTools], 'minimal')
    expect(offered.slice(-2)).toMatchObject([
      { name: 'find_tools', description: 'Finds more tools by what they do.' },
      { name: 'call_tool' },
    ])
  })

  it('the core lists only existing parameters, and keeps every required one', () => {
    for (const [name, core] of [...Object.entries(toolset.core ?? {}), ...Object.entries(toolset.medium ?? {})]) {
      const tool = toolset.tools.find((candidate) => candidate.name === name)
      const parameters = Object.keys(tool?.schema.shape ?? {})
      for (const parameter of [...(core.optional ?? []), ...(core.required ?? [])])
        expect(parameters, `${name}.${parameter}`).toContain(parameter)
    }
    for (const tool of offeredTools(toolset, toolset.tools, 'minimal')) {
      // In the schema of an object, `properties` has the names as keys, and `required` lists some of them.
      const properties = Object.keys(tool.parameters.properties as object)
      expect(properties).toEqual(expect.arrayContaining((tool.parameters.required as string[] | undefined) ?? []))
      expect(JSON.stringify(tool.parameters)).not.toContain('"description"')
    }
  })
})

it('the context size determines the profile', () => {
  expect([4096, 5999, 6000, 8192, 11_999, 12_000, 16_384, 23_999, 24_000, 131_072].map(profileFor)).toEqual([
    'minimal',
    'minimal',
    ...Array.from({ length: 8 }, () => 'compact'),
  ])
})

it('compact includes tools outside the toolset with shortened descriptions, and minimal none', () => {
  const [common] = rustyToolset.tools
  if (!common) throw new Error('Rusty has tools.')
  const beside = { ...common, name: 'beside', description: 'Does it. At great length.' }
  expect(offeredTools(bladeToolset, [...bladeToolset.tools, beside], 'compact').at(-1)).toMatchObject({
    name: 'beside',
    description: 'Does it.',
  })
  expect(offeredTools(bladeToolset, [...bladeToolset.tools, beside], 'minimal').map(({ name }) => name)).not.toContain(
    'beside',
  )
})

it.each(toolsets)(
  'kinds of sub-agents of plug-ins change the full profile of $name only, by a bounded text',
  (toolset) => {
    const kind = { name: 'plugin:agent', description: 'x'.repeat(300), instructions: async () => '' }
    const withAgents = tizonaTools.map((tool) =>
      tool === task ? taskWith(Array.from({ length: 20 }, () => kind)) : tool,
    )
    const offer = (common: readonly Tool[], profile: PromptProfile) =>
      JSON.stringify(offeredTools(toolset, [...toolset.tools, ...common], profile))
    for (const profile of ['medium', 'compact', 'minimal'] as const)
      expect(offer(withAgents, profile)).toBe(offer(tizonaTools, profile))
    const added = offer(withAgents, 'full').length - offer(tizonaTools, 'full').length
    expect(added).toBeGreaterThan(1000)
    expect(added).toBeLessThan(4000)
  },
)
