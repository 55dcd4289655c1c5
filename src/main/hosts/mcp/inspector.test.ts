import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { bladeToolset } from '../../tools/blade/bladeToolset.ts'
import { headlessProgram } from '../../testing/headlessProgram.ts'
import { chosenCases } from '../../testing/longForm.ts'
import { rustantToolset } from '../../tools/rustant/rustantToolset.ts'
import { rustyToolset } from '../../tools/rusty/rustyToolset.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'
import { ultraSushiTronToolset } from '../../tools/ultrasushitron/ultraSushiTronToolset.ts'

// Runs the MCP inspector's command line, a common tool to check servers, against the real server.

const inspector = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json')),
  'clients',
  'launcher',
  'build',
  'index.js',
)
const listed = z.object({
  tools: z.array(z.object({ name: z.string(), annotations: z.object({ readOnlyHint: z.boolean() }) })),
})
const called = z.object({
  isError: z.boolean().optional(),
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })),
})

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let workspace: string
beforeEach(async () => {
  folder = await temporaryFolder()
  workspace = join(folder.root, 'workspace')
  await mkdir(workspace)
  await writeFile(join(workspace, 'a.txt'), 'hola\n')
})
afterEach(() => folder.remove())

/** Runs the inspector. @returns its exit code, its parsed output and its error output */
async function inspect(toolset: string, ...options: string[]): Promise<{ code: unknown; out: unknown; said: string }> {
  const server = [process.execPath, headlessProgram, 'mcp', '--workspace', workspace, '--toolset', toolset]
  // Both the inspector and Tizona store their data in the test's folder.
  const env = { ...process.env, HOME: folder.root, TIZONA_USER_DATA: join(folder.root, 'user') }
  const run = promisify(execFile)(process.execPath, [inspector, '--cli', ...server, ...options], {
    env,
    maxBuffer: 16 * 1024 * 1024,
  })
  const { code, stdout, stderr } = await run.then(
    (printed) => ({ ...printed, code: 0 }),
    (error: unknown) => z.object({ code: z.unknown(), stdout: z.string(), stderr: z.string() }).parse(error),
  )
  return { code, out: stdout.trim() === '' ? undefined : JSON.parse(stdout), said: stderr }
}

const toolsets = [
  [bladeToolset, 'read_file', 'path=a.txt'],
  [ultraSushiTronToolset, 'Read', 'file_path=a.txt'],
  [rustantToolset, 'file_read', 'path=a.txt'],
  [rustyToolset, 'file_read', 'path=a.txt'],
] as const

// Each run starts the inspector and a server; the long form runs all toolsets.
describe.each(chosenCases(toolsets, 1))('the inspector on toolset %#', ({ name, tools }, read, file) => {
  it(`${name}: lists every tool, and finds no error in a schema`, async () => {
    const { code, out, said } = await inspect(name, '--method', 'tools/list', '--strict')
    expect(said).not.toMatch(/[1-9]\d* errors?,/)
    expect(code).toBe(0)
    // Running a notebook's cells needs the trust of the folder.
    const names = [...tools.map((tool) => tool.name), 'notebook_read', 'notebook_edit']
    expect(listed.parse(out).tools.map((tool) => tool.name)).toEqual(names)
  })

  it(`${name}: calls a tool, and gets a failure as a result`, async () => {
    const good = called.parse(
      (await inspect(name, '--method', 'tools/call', '--tool-name', read, '--tool-arg', file)).out,
    )
    expect(good).toMatchObject({ content: [{ text: expect.stringContaining('hola') }] })
    expect(good.isError ?? false).toBe(false)
    const missing = await inspect(
      name,
      '--method',
      'tools/call',
      '--tool-name',
      read,
      '--tool-arg',
      file.replace('a.txt', 'none.txt'),
    )
    expect(called.parse(missing.out)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Error (not_found)') }],
    })
  })
})
