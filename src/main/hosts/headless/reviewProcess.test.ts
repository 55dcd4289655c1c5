import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { call, say, step } from '../../model/scripted/scenario.ts'
import { startScriptedEndpoint, type ScriptedEndpoint } from '../../model/scripted/scriptedEndpoint.ts'
import { headlessProgram } from '../../testing/headlessProgram.ts'
import { temporaryFolder } from '../../tools/testing/toolContext.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let data: Awaited<ReturnType<typeof temporaryFolder>>
let endpoint: ScriptedEndpoint
beforeEach(async () => {
  folder = await temporaryFolder({ 'a.txt': '1\n2\n3\n4\n5\n', 'old.txt': 'old\n' })
  data = await temporaryFolder()
  endpoint = await startScriptedEndpoint({
    name: 'review-process',
    turns: [
      {
        prompt: /^Change/,
        steps: [
          step(
            'change',
            call('write_file', { path: 'a.txt', content: 'one\n2\n3\n4\nfive\n' }),
            call('run_command', { command: 'mv old.txt new.txt && printf made > made.txt' }),
          ),
          step('tell', say('Changed.')),
        ],
      },
      {
        prompt: /^Again/,
        steps: [
          step('change', call('write_file', { path: 'made.txt', content: 'made again' })),
          step('tell', say('Changed again.')),
        ],
      },
    ],
  })
})
afterEach(async () => {
  await endpoint.close()
  await Promise.all([folder.remove(), data.remove()])
})

/** Runs `tizona` as a process. @returns its exit code, and the JSON objects that it prints */
function tizona(...args: string[]): Promise<{ code: number; objects: Record<string, unknown>[] }> {
  const env = { ...process.env, TIZONA_USER_DATA: join(data.root, 'user') }
  return new Promise((done) => {
    execFile(process.execPath, [headlessProgram, ...args, '--workspace', folder.root], { env }, (error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line.startsWith('{'))
      // Each line is one object.
      const objects = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
      done({ code: typeof error?.code === 'number' ? error.code : 0, objects })
    })
  })
}
const read = (name: string) => readFile(join(folder.root, name), 'utf8').catch(() => null)
const brief = (files: unknown) =>
  (files as { path: string; change: string; added: number; removed: number }[]).map(
    ({ path, change, added, removed }) => `${path} ${change} +${added} -${removed}`,
  )

it(
  '"run --review" ends with the changed files, and later processes list, keep and undo them',
  { timeout: 120_000 },
  async () => {
    const run = (prompt: string, ...rest: string[]) =>
      tizona('run', prompt, '--endpoint', endpoint.url, '--model', 'scripted', '--mode', 'yolo', '--review', ...rest)
    const first = await run('Change', '--trust')
    expect(first).toMatchObject({ code: 0 })
    const { review } = first.objects.at(-1) as { review: { files: unknown; added: number; removed: number } }
    expect(brief(review.files)).toEqual(['a.txt changed +2 -2', 'made.txt created +1 -0', 'new.txt renamed +0 -0'])
    const second = await run('Again', '--trust', '--continue', 'last')
    expect(brief((second.objects.at(-1) as { review: { files: unknown } }).review.files)).toEqual([
      'made.txt changed +1 -1',
    ])

    const since = await tizona('review', '--since', 'last', '--json')
    expect(since.objects).toMatchObject([{ path: 'made.txt', hunks: [{ hunk: 1 }] }])
    expect(await tizona('review', '--since', 'last', '--undo', 'made.txt')).toMatchObject({ code: 0 })
    expect(await read('made.txt')).toBe('made')

    const chosen = await tizona('review', '--keep', 'a.txt:1', '--undo', 'a.txt:2', '--undo', 'new.txt', '--json')
    expect(chosen).toMatchObject({ code: 0, objects: [{ path: 'made.txt', change: 'created' }] })
    expect([await read('a.txt'), await read('old.txt'), await read('new.txt')]).toEqual([
      'one\n2\n3\n4\n5\n',
      'old\n',
      null,
    ])
  },
)
