import { expect, test } from 'vitest'
import { settingsSchema } from '../../shared/settings/settings.ts'
import { bladeToolset } from './blade/bladeToolset.ts'
import { createToolRegistry } from './toolRegistry.ts'
import { rustantToolset } from './rustant/rustantToolset.ts'
import { rustyToolset } from './rusty/rustyToolset.ts'
import { createAppToolRegistry, toolOffReason } from './appToolRegistry.ts'
import { ultraSushiTronToolset } from './ultrasushitron/ultraSushiTronToolset.ts'

const toolsets = [bladeToolset, ultraSushiTronToolset, rustantToolset, rustyToolset]
const registryWith = (settings: object) => {
  const read = settingsSchema.parse(settings)
  return createToolRegistry(
    toolsets,
    () => [],
    (toolset, tool) => toolOffReason(read, toolset, tool),
  )
}

test('exactly the web tools are disabled if web access is off', () => {
  const on = registryWith({})
  const off = registryWith({ web: { enabled: false } })
  const gone = toolsets.flatMap(({ name }) =>
    on
      .tools(name)
      .filter((tool) => !off.tools(name).includes(tool))
      .map((tool) => tool.name),
  )
  expect(gone).toEqual(['HttpFetch', 'WebSearch', 'web_search', 'web_fetch'])
  expect(() => off.find('rustant', 'web_fetch')).toThrow(
    expect.objectContaining({ code: 'switched_off', next: expect.stringContaining('Settings under Web') }),
  )
})

test('every tool with network risk depends on web access', () => {
  for (const { tools } of toolsets)
    for (const tool of tools) if (tool.risk === 'network') expect(tool.web, tool.name).toBe(true)
})

test('a tool is disabled only in the toolset of the setting', () => {
  const registry = registryWith({ disabledTools: { rustant: ['file_read'] } })
  expect(() => registry.find('rustant', 'file_read')).toThrow(
    expect.objectContaining({ code: 'switched_off', next: expect.stringContaining('Settings under Tools') }),
  )
  expect(registry.find('rusty', 'file_read').name).toBe('file_read')
})

test('tools for debugging are off in a folder that is not trusted, and say so', () => {
  const registry = createAppToolRegistry({
    settings: () => settingsSchema.parse({}),
    serverTools: { list: () => [], isOff: () => false },
    hasSkills: () => false,
    hasLanguageServers: () => false,
    canDebug: () => false,
    hasBrowser: () => false,
  })
  expect(registry.tools('blade').map(({ name }) => name)).not.toContain('debug_run')
  expect(() => registry.find('blade', 'debug_run')).toThrow(
    expect.objectContaining({ code: 'switched_off', message: expect.stringContaining('not trusted this folder') }),
  )
})
