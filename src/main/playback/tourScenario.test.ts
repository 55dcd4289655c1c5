import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ChatMessage } from '../model/modelClient.ts'
import { createOpenAiClient } from '../model/clients/openAiClient.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { callsOf, chatRequest, collect, modelError, textOf } from '../model/testing/modelServer.ts'
import { tourPrompt, tourScenario } from './tourScenario.ts'

type ToolRunners = Record<string, (args: Record<string, unknown>) => Promise<string> | string>

/**
 * Real files and real commands, with results formatted like those of Tizona's tools (core.test.ts plays the tour with
 * the tools themselves).
 */
function toolRunners(root: string, editor: 'none' | 'no selection' | { selected: string }): ToolRunners {
  const noWindow = 'Error (no_window): No window shows this workspace.\nNext step: Ask the user to open it.'
  const written: string[] = []
  return {
    async grep_search({ pattern }) {
      const lines: string[] = []
      for (const name of (await readdir(root, { recursive: true })).filter((path) => path.endsWith('.js')).sort()) {
        const text = await readFile(join(root, name), 'utf8')
        text
          .split('\n')
          .forEach((line, at) => new RegExp(String(pattern)).test(line) && lines.push(`${name}:${at + 1}:${line}`))
      }
      return lines.join('\n')
    },
    read_file: ({ path }) => readFile(join(root, String(path)), 'utf8'),
    async apply_patch({ path, patches }) {
      const file = join(root, String(path))
      let text = await readFile(file, 'utf8')
      // The tour sends arguments that match the schema of apply_patch.
      for (const { old_text, new_text } of patches as { old_text: string; new_text: string }[]) {
        expect(text.split(old_text)).toHaveLength(2)
        text = text.replace(old_text, () => new_text)
      }
      await writeFile(file, text)
      return text
        .split('\n')
        .map((line) => `+${line}`)
        .join('\n')
    },
    open_file: ({ path, line }) =>
      editor === 'none' ? noWindow : `Opened ${String(path)} at line ${String(line)}, column 1.`,
    get_selection: () =>
      editor === 'none'
        ? noWindow
        : editor === 'no selection'
          ? 'Nothing is selected. The cursor is in src/prices.js at line 12, column 1.'
          : editor.selected,
    insert_at_cursor: ({ content }) =>
      `Inserted at the cursor in src/prices.js (${written.push(String(content))} change).`,
    replace_selection: ({ content }) => `Replaced the selection with: ${String(content)}`,
    run_command: ({ command }) =>
      new Promise((resolve) => {
        const [program = '', ...args] = String(command).split(' ')
        const { NODE_TEST_CONTEXT: _, ...env } = process.env
        execFile(program === 'node' ? process.execPath : program, args, { cwd: root, env }, (error, stdout) =>
          resolve(`${stdout}[exit ${error ? 1 : 0} after 0.1 s in .]`),
        )
      }),
  }
}

/**
 * Plays a conversation like the loop.
 * @returns the names of the calls and the final text
 */
async function play(prompt: string, tools: ToolRunners) {
  const endpoint = await startScriptedEndpoint({ ...tourScenario, pace: 0 })
  onTestFinished(() => endpoint.close())
  const client = createOpenAiClient({ name: 'Tour', baseUrl: endpoint.url })
  const messages: ChatMessage[] = [{ role: 'user', content: prompt }]
  const names: string[] = []
  for (;;) {
    const events = await collect(client, chatRequest({ messages }))
    const calls = callsOf(events)
    messages.push({ role: 'assistant', content: textOf(events), ...(calls.length > 0 && { toolCalls: calls }) })
    if (calls.length === 0) return { names, last: textOf(events), messages }
    for (const call of calls) {
      names.push(call.name)
      const content = (await tools[call.name]?.(JSON.parse(call.arguments))) ?? 'Error (unknown_tool): no such tool'
      messages.push({ role: 'tool', callId: call.id, name: call.name, content })
    }
  }
}

async function shop(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'tizona-tour-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  await cp('resources/tour/workspace', root, { recursive: true })
  return root
}
const start = ['grep_search', 'read_file', 'read_file', 'apply_patch', 'get_selection']

describe('the tour', () => {
  test('the shop fails its tests before the tour', async () => {
    expect(await toolRunners(await shop(), 'none')['run_command']?.({ command: 'node --test' })).toMatch(/fail [1-9]/)
  })

  test('without a window: finds the bug, repairs it and runs the tests', async () => {
    const { names, last } = await play(tourPrompt, toolRunners(await shop(), 'none'))
    expect(names).toEqual([...start, 'run_command'])
    expect(last).toMatch(/Summary.*scripted/)
    expect(last).toMatch(/6 passed, 0 failed/)
  })

  test('with a window and no selection: inserts at the cursor', async () => {
    const { names, last } = await play(tourPrompt, toolRunners(await shop(), 'no selection'))
    expect(names).toEqual([...start, 'open_file', 'insert_at_cursor', 'run_command'])
    expect(last).toMatch(/Inserted at the cursor/)
  })

  test('with a selection: replaces it', async () => {
    const { names, last } = await play(tourPrompt, toolRunners(await shop(), { selected: 'const x' }))
    expect(names).toEqual([...start, 'replace_selection', 'run_command'])
    expect(last).toMatch(/const x \/\* seen by the tour \*\//)
  })

  test('fails if read_file returns another file', async () => {
    const broken = { ...toolRunners(await shop(), 'none'), read_file: () => 'nothing of interest' }
    const error = await modelError(play(tourPrompt, broken))
    expect(error.message).toContain(
      'tour step 3 (repair and tidy in one patch) expected read_file to show the faulty line of `discount` in src/prices.js',
    )
  })

  test('fails when read_file fails', async () => {
    const broken = { ...toolRunners(await shop(), 'none'), read_file: () => 'Error (internal): it broke' }
    expect((await modelError(play(tourPrompt, broken))).message).toMatch(
      /expected read_file to show .* but it showed: "Error \(internal\)/,
    )
  })

  test('fails if the search or the patch has an unexpected result', async () => {
    const root = await shop()
    expect(
      (await modelError(play(tourPrompt, { ...toolRunners(root, 'none'), grep_search: () => 'No matches.' }))).message,
    ).toMatch(/tour step 2 .* expected grep_search/)
    expect(
      (await modelError(play(tourPrompt, { ...toolRunners(root, 'none'), apply_patch: () => 'done' }))).message,
    ).toMatch(/tour step 4 .* expected apply_patch/)
  })

  test('reports the numbers of the test run', async () => {
    const root = await shop()
    const counted = { ...toolRunners(root, 'none'), run_command: () => 'pass 3\nfail 2\n[exit 1 after 1 s in .]' }
    expect((await play(tourPrompt, counted)).last).toMatch(/3 passed, 2 failed/)
  })

  test.each([
    ['apply_patch', 'refused', /You refused the edit/],
    ['apply_patch', 'not_in_plan_mode', /Plan mode only reads/],
    ['run_command', 'refused', /You refused the test run/],
    ['run_command', 'approval_required', /Approval is needed/],
  ])('ends with an explanation when %s returns %s', async (tool, code, words) => {
    const refusing = { ...toolRunners(await shop(), 'none'), [tool]: () => `Error (${code}): no.` }
    expect((await play(tourPrompt, refusing)).last).toMatch(words)
  })

  test('does not confirm the fix after another command ran', async () => {
    const other = { ...toolRunners(await shop(), 'none'), run_command: () => 'hello\n[exit 0 after 1 s in .]' }
    expect((await play(tourPrompt, other)).last).toMatch(/cannot confirm the fix/)
  })

  test('detects on a second run that the bug is already repaired', async () => {
    const tools = toolRunners(await shop(), 'none')
    await play(tourPrompt, tools)
    expect((await play(tourPrompt, tools)).last).toMatch(/repaired here already/)
  })

  test('"replace my selection" replaces the selection, or explains what is missing', async () => {
    const root = await shop()
    expect(await play('replace my selection', toolRunners(root, { selected: 'abc' }))).toMatchObject({
      names: ['get_selection', 'replace_selection'],
      last: expect.stringContaining('abc /* seen'),
    })
    expect((await play('replace my selection', toolRunners(root, 'no selection'))).last).toMatch(/Nothing is selected/)
    expect((await play('replace my selection', toolRunners(root, 'none'))).last).toMatch(/no_window/)
  })

  test('answers any other message with a note that it is scripted', async () => {
    expect((await play('Write me a poem', {})).last).toMatch(/scripted tour.*show me the tour/s)
  })
})
