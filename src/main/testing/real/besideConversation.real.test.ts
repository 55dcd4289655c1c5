import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { inlineEdit } from '../../inlineEdit/testing/inlineEditParams.ts'
import { endpointsWith } from '../../model/testing/testEndpoints.ts'
import { realServerNames } from './realServers.ts'
import { serverUnderTest, workspaceOn } from './serverUnderTest.ts'

const git = promisify(execFile)
const code = 'function total(items) {\n  let sum = 0\n  for (const item of items) sum += item.prcie\n  return sum\n}\n'

for (const name of realServerNames)
  describe(`what uses a model beside conversations, at ${name}`, async () => {
    const server = await serverUnderTest(name)

    test('a title has the form of one', async (context) => {
      const workspace = await workspaceOn(server(context), {
        options: { calls: 'text', maxTokens: 60 },
        settings: {
          toolset: 'rusty',
          profile: 'minimal',
          smallModel: { endpointId: 'real', model: server(context).model },
        },
      })
      const id = await workspace.newConversation()
      const message = 'How do I read the lines of a text file in Python?'
      await workspace.turn(id, message)
      await expect.poll(() => workspace.proxy.chats().length, { timeout: 120_000 }).toBeGreaterThan(1)
      await expect
        .poll(() => workspace.proxy.chats().every(({ status }) => status !== 0), { timeout: 120_000 })
        .toBe(true)
      const { title } = (await workspace.request('conversations.open', { id })).info
      console.log(`${name}, title: ${title}`)
      expect(title).not.toMatch(/[\n{}]|^title/i)
      expect(title.split(/\s+/).length).toBeLessThanOrEqual(12)
    })

    test('a commit draft has a subject, or is refused with the reason', async (context) => {
      const workspace = await workspaceOn(server(context), { files: { 'total.js': code } })
      const run = (...args: string[]) =>
        git('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...args], { cwd: workspace.root })
      await run('init', '-q')
      await run('add', '.')
      await run('commit', '-qm', 'Add total')
      await writeFile(join(workspace.root, 'total.js'), code.replace('prcie', 'price'))
      await run('add', '.')
      const [repository] = await workspace.request('git.repositories', { again: true })
      const drafted = await workspace
        .request('git.draftMessage', { repository: repository?.id ?? '', operation: 'd' })
        .catch((error: unknown) => error)
      console.log(`${name}, commit draft: ${JSON.stringify(drafted)} ${String(drafted)}`)
      if (typeof drafted !== 'string') return expect(drafted).toMatchObject({ code: 'no_change' })
      const [subject = ''] = drafted.split('\n')
      expect(subject.length).toBeLessThanOrEqual(100)
      expect(subject).not.toMatch(/[{}`]|^(here|sure|the commit message)/i)
    })

    test('an inline edit proposes code, or says what the model wrote', async (context) => {
      const workspace = await workspaceOn(server(context), { files: { 'total.js': code } })
      const result = await workspace
        .request(
          'inlineEdit.run',
          inlineEdit({
            path: 'total.js',
            language: 'javascript',
            selection: code.trimEnd().split('\n'),
            instruction: 'Fix the typo prcie',
          }),
        )
        .catch((error: unknown) => error)
      console.log(`${name}, inline edit: ${JSON.stringify(result)} ${String(result)}`)
      if (result instanceof Error) return expect(result).toMatchObject({ code: expect.any(String) })
      const { lines } = result as { lines: string[] }
      await writeFile(join(workspace.root, 'result.mjs'), lines.join('\n'))
      await git(process.execPath, ['--check', join(workspace.root, 'result.mjs')])
    })

    test('a suggestion is requested in a form that the server has, or refused with the reason', async (context) => {
      const workspace = await workspaceOn(server(context))
      const tested = await workspace.request('completion.test', workspace.choice).catch((error: unknown) => error)
      console.log(`${name}, completion: ${JSON.stringify(tested)} ${String(tested)}`)
      if (tested instanceof Error) return expect(tested.message).not.toMatch(/HTTP 5|invalid JSON/)
      expect(tested).toMatchObject({ form: expect.any(String), sample: expect.any(String) })
    })
  })

describe('embeddings at llama-server', async () => {
  const server = await serverUnderTest('llama-server', { args: ['--embeddings', '--pooling', 'mean', '-ub', '2048'] })

  test('texts of one subject have nearer vectors', async (context) => {
    const { kind, baseUrl, model } = server(context)
    const { endpoints } = await endpointsWith({ kind, baseUrl })
    const texts = ['The cat sleeps on the sofa.', 'A kitten naps on the couch.', 'int main(void) { return 0; }']
    const vectors = await endpoints.embed({ endpointId: 'e', model }, texts, new AbortController().signal)
    const [cat, kitten, main] = vectors as [Float32Array, Float32Array, Float32Array]
    expect(cosine(cat, kitten)).toBeGreaterThan(cosine(cat, main))
  })
})

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * (y[at] ?? 0), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}
