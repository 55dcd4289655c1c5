import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { promptProfiles } from '../../shared/agent/promptProfile.ts'
import { delta, serve } from '../model/testing/modelServer.ts'
import { headlessProgram } from '../testing/headlessProgram.ts'
import { appToolsets, deriveSchemas, useBuiltSchemas } from './offeredSchemas.ts'
import { offeredTools } from './promptTools.ts'
import { temporaryFolder } from './testing/toolContext.ts'
import { tizonaTools } from './tizona/tizonaTools.ts'

const run = promisify(execFile)
const derived = deriveSchemas()
afterEach(() => useBuiltSchemas(JSON.stringify(derived)))

/** The tools that models get, as bytes, because a server compares prompts by their bytes. */
const offered = (): string[] =>
  appToolsets.flatMap((toolset) =>
    promptProfiles.map((profile) => JSON.stringify(offeredTools(toolset, [...toolset.tools, ...tizonaTools], profile))),
  )

describe('schemas of the build', () => {
  it('are those of every tool, and models get the same bytes', () => {
    const before = offered()
    expect(Object.keys(derived)).toHaveLength([...appToolsets.flatMap(({ tools }) => tools), ...tizonaTools].length)
    useBuiltSchemas(JSON.stringify(derived))
    expect(offered()).toEqual(before)
  })

  it('are used, and a tool that is not among them keeps its own', () => {
    const before = offered()
    useBuiltSchemas(JSON.stringify({ 'blade.read_file': { type: 'object', properties: {} }, 'blade.gone': {} }))
    const after = offered()
    expect(after[0]).not.toBe(before[0])
    // Those of the other toolsets.
    expect(after.slice(promptProfiles.length)).toEqual(before.slice(promptProfiles.length))
  })
})

it.each(appToolsets.map(({ name }) => name))('the program sends the schemas of the sources for %s', async (toolset) => {
  const home = await temporaryFolder()
  let sent = ''
  const { url } = await serve((request, response, body) => {
    if (!request.url?.endsWith('/chat/completions')) return response.writeHead(404).end()
    sent ||= body
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return response.end(`data: ${JSON.stringify(delta({ content: 'Done.' }, 'stop'))}\n\ndata: [DONE]\n\n`)
  })
  const args = ['run', 'hello', '--workspace', home.root, '--endpoint', url, '--model', 'm', '--kind', 'openai']
  await run(process.execPath, [headlessProgram, ...args, '--toolset', toolset, '--profile', 'full'], {
    env: { ...process.env, TIZONA_USER_DATA: `${home.root}/user`, TIZONA_NO_DISCOVERY: '1' },
  })
  await home.remove()
  // Sent by the program.
  const { tools } = JSON.parse(sent) as { tools: { function: { name: string; parameters: object } }[] }
  expect(tools.length).toBeGreaterThan(5)
  for (const { function: tool } of tools)
    expect(JSON.stringify(tool.parameters), tool.name).toBe(
      JSON.stringify(derived[`${toolset}.${tool.name}`] ?? derived[`tizona.${tool.name}`]),
    )
})
