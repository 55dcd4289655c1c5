import { describe, expect, onTestFinished, test } from 'vitest'
import type { InlineEditProgress } from '../../shared/agent/inlineEdit.ts'
import { ToolError } from '../../shared/errors.ts'
import { restoreControlTokens, splitControlTokens } from '../model/clients/controlTokens.ts'
import { createOpenAiClient } from '../model/clients/openAiClient.ts'
import { ModelError } from '../model/modelClient.ts'
import {
  answer,
  disconnect,
  say,
  think,
  waitForGate,
  type Reply,
  type ScriptedChatRequest,
} from '../model/scripted/scenario.ts'
import { startScriptedEndpoint } from '../model/scripted/scriptedEndpoint.ts'
import { createInlineEdits, type InlineEditDeps } from './inlineEdits.ts'
import { inlineEdit } from './testing/inlineEditParams.ts'

const noAbort = new AbortController().signal

/** Inline edits with a scripted endpoint over real HTTP. */
async function editsWith(respond: (request: ScriptedChatRequest) => Reply, change: Partial<InlineEditDeps> = {}) {
  const endpoint = await startScriptedEndpoint({ name: 'inline-edit', turns: [], respond })
  onTestFinished(() => endpoint.close())
  const progress: InlineEditProgress[] = []
  const edits = createInlineEdits({
    choice: () => ({ endpointId: 'e', model: 'scripted' }),
    model: async () => ({ client: createOpenAiClient({ name: 'e', baseUrl: endpoint.url }), contextWindow: 8192 }),
    temperature: () => 0,
    splitControlTokens,
    restoreControlTokens,
    checkPath: async () => undefined,
    definitions: async () => '',
    instructions: async () => '',
    newSyntaxErrors: async () => false,
    guidedLines: async () => undefined,
    watchRepetition: () => () => false,
    onProgress: (_id, each) => progress.push(each),
    ...change,
  })
  return { edits, endpoint, progress }
}

describe('an inline edit', () => {
  test('sends no tools and returns the lines of the answer', async () => {
    const { edits, endpoint } = await editsWith(() => answer(say('```ts\ntwo\n```')))
    expect(await edits.run(inlineEdit(), noAbort)).toEqual({ lines: ['two'] })
    const bodies = endpoint.requests.flatMap(({ body }) => (body === undefined ? [] : [body]))
    expect(bodies).toHaveLength(1)
    expect(bodies[0]).not.toHaveProperty('tools')
  })

  test('follows the instructions for its file, within a share of the context', async () => {
    const asked: unknown[] = []
    const { edits, endpoint } = await editsWith(() => answer(say('```ts\ntwo\n```')), {
      instructions: async (path, room) => {
        asked.push([path, room])
        return 'Use tabs.'
      },
    })
    await edits.run(inlineEdit(), noAbort)
    expect(asked).toEqual([['a.ts', 1638]])
    expect(JSON.stringify(endpoint.requests.map(({ body }) => body))).toContain('Use tabs.')
  })

  test('reports complete lines while the answer is streamed', async () => {
    const { edits, endpoint, progress } = await editsWith(() =>
      answer(say('```ts\ntwo\nthr'), waitForGate('rest'), say('ee\n```')),
    )
    const result = edits.run(inlineEdit(), noAbort)
    await expect.poll(() => progress).toEqual([{ kind: 'lines', keep: 0, lines: ['two'] }])
    endpoint.release('rest')
    expect(await result).toEqual({ lines: ['two', 'three'] })
  })

  test('ignores thoughts, in a field or in tags', async () => {
    const { edits, progress } = await editsWith(() =>
      answer(think('hmm ```\nno\n```'), say('<think>```\nnever\n```</think>\n```\ntwo\n```')),
    )
    expect(await edits.run(inlineEdit(), noAbort)).toEqual({ lines: ['two'] })
    expect(progress).toContainEqual({ kind: 'note', text: 'Thinking…' })
  })

  test('cancelled closes the connection to the server', async () => {
    const { edits, endpoint, progress } = await editsWith(() => answer(say('```\ntwo\nx'), waitForGate('never')))
    const result = edits.run(inlineEdit(), noAbort)
    await expect.poll(() => progress.length).toBe(1)
    edits.cancel('e1')
    await expect(result).rejects.toThrow()
    expect(await endpoint.requests.at(-1)?.ended).toBe('broken')
  })

  test.each<[string, Reply, RegExp]>([
    ['only thoughts', answer(think('I think.')), /only its reasoning/],
    ['an empty answer', answer(say('\n')), /empty answer/],
    ['an answer cut at the maximum length', { ...answer(say('```\ntwo')), finish: 'length' }, /cut off/],
    [
      'an answer of 10 MB',
      answer(say('```\n'), ...Array.from({ length: 160 }, () => say('x'.repeat(65_536)))),
      /far more than the selection/,
    ],
  ])('fails once on %s', async (_, reply, message) => {
    const { edits } = await editsWith(() => reply)
    const error = await edits.run(inlineEdit(), noAbort).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ message: expect.stringMatching(message), next: expect.stringMatching(/\.$/) })
  })

  test.each<[string, Reply]>([
    ['the connection ends in the middle of an answer', answer(say('```\ntwo\n'), disconnect)],
    ['the server reports an error', { status: 400, body: '{"error":{"message":"bad grammar"}}' }],
  ])('passes on the error and hint when %s', async (_, reply) => {
    const { edits } = await editsWith(() => reply)
    const error = await edits.run(inlineEdit(), noAbort).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ModelError)
  })

  test('sends the request without surrounding text if the server refuses it as too long', async () => {
    const prompts: string[] = []
    const { edits } = await editsWith(({ messages }) => {
      prompts.push(messages.at(-1)?.content ?? '')
      return prompts.length === 1
        ? {
            status: 400,
            body: '{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}',
          }
        : answer(say('```\ntwo\n```'))
    })
    expect(await edits.run(inlineEdit({ before: 'line above', after: 'line below' }), noAbort)).toEqual({
      lines: ['two'],
    })
    expect(prompts[0]).toContain('line above')
    expect(prompts[1]).not.toContain('line above')
  })

  test('keeps control tokens of a chat template exactly, which the request splits', async () => {
    const template = "prompt = '<|im_start|>user' + text + '<|im_end|>'"
    const prompts: string[] = []
    const { edits } = await editsWith(({ messages }) => {
      const asked = messages.map(({ content }) => content).join('\n')
      prompts.push(asked)
      // Repeats the line as the prompt shows it.
      const line = asked.split('\n').find((each) => each.startsWith('prompt = ')) ?? ''
      return answer(say(`\`\`\`ts\n${line}\nnext()\n\`\`\``))
    })
    const edit = inlineEdit({ selection: [template] })
    const { lines } = await edits.run(edit, noAbort)
    expect(lines).toEqual([template, 'next()'])
    await edits.run({ ...edit, earlier: [{ instruction: 'Go on', lines }] }, noAbort)
    // Neither the file nor the earlier answer can end the user's message.
    for (const prompt of prompts) expect(prompt).not.toContain('<|im_')
  })

  describe('whose answer is a message', () => {
    // What SmolLM2-135M-Instruct answered for a typo in eight lines of JavaScript.
    const message = 'The code above fixes the typo in the function name, and adds it to the list.'
    const asCode = { path: 'a.js', language: 'javascript', selection: ['function one() {}', 'const two = 2'] }
    const parses = async (_path: string, { after }: { after: string }) => after.includes('The code')

    test('changes nothing, because it is no code', async () => {
      const { edits } = await editsWith(() => answer(say(`${message}\nconst two = 2`)), { newSyntaxErrors: parses })
      await expect(edits.run(inlineEdit(asCode), noAbort)).rejects.toThrow(/explanation instead of the new text/)
    })

    test('is followed by a guided change of one line, where the server can constrain answers', async () => {
      const { edits, progress } = await editsWith(() => answer(say(message)), {
        newSyntaxErrors: parses,
        guidedLines: async (_choice, { selection }) => ['function first() {}', ...(selection ?? []).slice(1)],
      })
      expect(await edits.run(inlineEdit(asCode), noAbort)).toEqual({
        lines: ['function first() {}', 'const two = 2'],
        warning: "The model's answer was not usable, so it was asked to change a single line.",
      })
      expect(progress).toContainEqual({
        kind: 'note',
        text: 'The answer is not usable. Requesting a single changed line…',
      })
    })

    test('is stopped where it repeats itself, and followed by a guided change', async () => {
      const watchRepetition = () => {
        let pieces = 0
        return () => ++pieces > 3
      }
      const { edits } = await editsWith(() => answer(...['a', 'b', 'a', 'b'].map((text) => say(text))), {
        watchRepetition,
      })
      await expect(edits.run(inlineEdit(asCode), noAbort)).rejects.toThrow(/repeated itself/)
      const { edits: guided } = await editsWith(() => answer(...['a', 'b', 'a', 'b'].map((text) => say(text))), {
        watchRepetition,
        guidedLines: async () => ['function first() {}'],
      })
      expect((await guided.run(inlineEdit(asCode), noAbort)).lines).toEqual(['function first() {}'])
    })

    test('keeps code without a fence that parses', async () => {
      const { edits } = await editsWith(() => answer(say('function first() {}\nconst two = 2')), {
        newSyntaxErrors: parses,
      })
      expect((await edits.run(inlineEdit(asCode), noAbort)).lines).toEqual(['function first() {}', 'const two = 2'])
    })
  })

  test('warns if the answer seems to leave code out', async () => {
    const { edits } = await editsWith(() => answer(say('```ts\ntwo\n// ... existing code ...\n```')))
    expect(await edits.run(inlineEdit(), noAbort)).toMatchObject({
      warning: expect.stringMatching(/may leave code out/),
    })
  })

  test('sends nothing if the file may not be read', async () => {
    const { edits, endpoint } = await editsWith(() => answer(say('two')), {
      checkPath: async () => {
        throw new ToolError('approval_required', '.env is a secret file.')
      },
    })
    await expect(edits.run(inlineEdit({ path: '.env' }), noAbort)).rejects.toThrow(/secret/)
    expect(endpoint.requests).toEqual([])
  })
})
