import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { ModelOptions } from '../../../shared/settings/settings.ts'
import { preparedFile } from './realParts.ts'
import type { RealServer } from './realServers.ts'
import { serverUnderTest, workspaceOn } from './serverUnderTest.ts'

const folder = mkdtempSync(join(tmpdir(), 'tizona-real-options-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Checks the effort like the template of Qwen3.8, and writes a prompt of SmolLM2. */
const template = join(folder, 'template.jinja')
writeFileSync(
  template,
  `{%- set effort = reasoning_effort | default('xhigh') -%}
{%- if effort not in ['xhigh', 'medium', 'low'] -%}
{{- raise_exception('Unexpected reasoning effort ' + effort + '. Supported types are xhigh (default), medium, and low.') -}}
{%- endif -%}
{% for message in messages %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endfor %}<|im_start|>assistant
`,
)

describe('the reasoning effort at llama-server', async () => {
  const server = await serverUnderTest('llama-server', { args: ['--chat-template-file', template] })

  test('becomes the nearest that the template names, for good', async (context) => {
    const workspace = await workspaceOn(server(context), {
      options: { think: 'high', calls: 'text', maxTokens: 20 },
      settings: { toolset: 'rusty', profile: 'minimal' },
    })
    const id = await workspace.newConversation()
    for (const text of ['Hello.', 'And now?']) expect(await workspace.turn(id, text)).not.toBe('endpoint_failed')
    const sent = workspace.proxy.chats().map(({ status, body }) => [status, body['reasoning_effort']])
    console.log(`llama-server, reasoning effort: ${JSON.stringify(sent)}`)
    expect(sent[0]).toEqual([400, 'high'])
    expect(new Set(sent.slice(1).map(String))).toEqual(new Set(['200,xhigh']))
  })
})

describe('speculative decoding at llama-server', async () => {
  const draft = (await preparedFile('smollm2')) ?? ''
  const server = await serverUnderTest('llama-server', {
    args: ['-md', draft, '--spec-type', 'draft-simple', '--spec-draft-n-max', '8'],
  })

  async function drafted(running: RealServer, extraBody: ModelOptions['extraBody']) {
    const workspace = await workspaceOn(running, {
      options: { calls: 'text', maxTokens: 40, ...(extraBody && { extraBody }) },
      settings: { toolset: 'rusty', profile: 'minimal' },
    })
    const id = await workspace.newConversation()
    await workspace.turn(id, 'Count from one to thirty in words.')
    return (await workspace.items(id)).findLast((item) => item.kind === 'assistant')?.usage?.drafted
  }

  // Each of these options would end the drafts.
  for (const extraBody of [
    undefined,
    { 'speculative.n_max': 0 },
    { 'speculative.n_min': 50 },
    { 'speculative.p_min': 1 },
  ])
    test(`is reported, whatever a request asks for: ${JSON.stringify(extraBody)}`, async (context) => {
      const counted = await drafted(server(context), extraBody)
      console.log(`llama-server, drafted with ${JSON.stringify(extraBody)}: ${JSON.stringify(counted)}`)
      expect(counted?.tokens).toBeGreaterThan(0)
    })
})
