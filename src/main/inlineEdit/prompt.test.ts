import { describe, expect, test } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { inlineEditMessages } from './prompt.ts'
import { inlineEdit } from './testing/inlineEditParams.ts'

const content = (messages: ReturnType<typeof inlineEditMessages>) =>
  messages.map((message) => message.content).join('\n')
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index + 1}`)

describe('the prompt of an inline edit', () => {
  const edit = inlineEdit({
    path: 'src/a.py',
    language: 'python',
    before: 'above',
    after: 'below',
    selection: ['x = 1'],
    instruction: 'Use two',
  })

  test('has file, language, surrounding lines, selection and instruction', () => {
    expect(inlineEditMessages(edit, { definitions: 'y = 3', instructions: '' }, 8192)).toEqual([
      { role: 'system', content: expect.stringMatching(/selected lines/) },
      {
        role: 'user',
        content:
          'File: src/a.py (python)\n\n<definitions>\ny = 3\n</definitions>\n\n<before>\nabove\n</before>\n\n' +
          '<selection>\nx = 1\n</selection>\n\n<after>\nbelow\n</after>\n\nInstruction: Use two',
      },
    ])
  })

  test('begins with the instructions of the folder, which a retry without context leaves out', () => {
    const texts = { definitions: '', instructions: 'Use tabs.' }
    const [system, user] = inlineEditMessages(edit, texts, 8192)
    expect(user?.content).toMatch(/^<instructions>\nUse tabs.\n<\/instructions>\n\nFile: /)
    expect(system?.content).not.toContain('tabs')
    expect(content(inlineEditMessages(edit, texts, 8192, 0))).not.toContain('Use tabs.')
  })

  test('keeps whole lines next to the selection when the context is small', () => {
    const text = content(
      inlineEditMessages(
        { ...edit, before: numbered('above', 2000).join('\n'), after: numbered('below', 2000).join('\n') },
        { definitions: 'd'.repeat(5000), instructions: '' },
        4096,
      ),
    )
    expect(text).toContain('above 2000\n</before>')
    expect(text).toContain('<after>\nbelow 1\n')
    expect(text).not.toContain('<definitions>')
    expect(text).toMatch(/<before>\nabove \d+\n/)
    expect(text.length).toBeLessThan(4096)
  })

  test('refuses a selection that does not fit the context with the answer', () => {
    const large = { ...edit, selection: numbered('line', 1000) }
    expect(() => inlineEditMessages(large, { definitions: '', instructions: '' }, 2048)).toThrow(ToolError)
    expect(() => inlineEditMessages(large, { definitions: '', instructions: '' }, 32_768)).not.toThrow()
  })

  test('continues the edit with earlier answers when it is refined', () => {
    const messages = inlineEditMessages(
      { ...edit, instruction: 'Now three', earlier: [{ instruction: 'Use two', lines: ['x = 2'] }] },
      { definitions: '', instructions: '' },
      8192,
    )
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(messages[1]?.content).toContain('Instruction: Use two')
    expect(messages[2]?.content).toBe('```\nx = 2\n```')
    expect(messages[3]?.content).toContain('Now three')
  })

  test('leaves out the oldest answers if they do not fit', () => {
    const earlier = numbered('change', 5).map((instruction) => ({ instruction, lines: ['y'.repeat(1000)] }))
    const messages = inlineEditMessages(
      { ...edit, earlier, instruction: 'last' },
      { definitions: '', instructions: '' },
      4096,
    )
    expect(messages.filter(({ role }) => role === 'assistant')).toHaveLength(2)
    expect(messages.at(-1)?.content).toContain('last')
  })

  test('without a selection asks for the text at the cursor', () => {
    const [system, user] = inlineEditMessages({ ...edit, selection: null }, { definitions: '', instructions: '' }, 8192)
    expect(system?.content).toContain('insert at the cursor')
    expect(user?.content).not.toContain('<selection>')
  })
})
