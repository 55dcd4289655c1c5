import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ConversationItem, ToolItem } from '../../../shared/agent/conversation.ts'
import { createInstructions } from '../../instructions/instructions.ts'
import { fakeEditor, temporaryFolder, writeTree } from '../../tools/testing/toolContext.ts'
import { createDocuments } from '../../workspace/documents.ts'
import { createFileOperations } from '../../workspace/fileOperations.ts'
import { openWorkspace } from '../../workspace/containment.ts'
import { userItem } from './items.ts'
import type { Transcript } from './transcript.ts'
import { sourcedMessages } from './messages.ts'
import { assumedWindow } from '../../../shared/agent/contextAllocation.ts'
import { createInstructionInjection } from './applicableInstructions.ts'

const never = new AbortController().signal
let folder: Awaited<ReturnType<typeof temporaryFolder>>
let trusted = true
let items: ConversationItem[]
beforeEach(async () => {
  folder = await temporaryFolder({
    'AGENTS.md': 'Use tabs.',
    'src/AGENTS.md': 'Only here.',
    '.tizona/rules/css.md': '---\nglobs: "*.css"\n---\nTokens only.',
  })
  items = []
  trusted = true
})
afterEach(() => folder.remove())

async function telling(contextWindow: number | 'unknown' = 32_768): Promise<() => Promise<void>> {
  const workspace = await openWorkspace(folder.root)
  const documents = createDocuments(workspace, Object.assign(fakeEditor(), { attached: false }))
  const instructions = createInstructions({
    documents,
    files: createFileOperations(workspace),
    userData: `${folder.root}/none`,
    trusted: () => trusted,
  })
  const transcript: Transcript = {
    items: () => items,
    put: (item) => void items.push(item),
    truncate: () => undefined,
    append: () => undefined,
    progress: () => undefined,
    note: () => undefined,
    flush: () => undefined,
  }
  const tell = createInstructionInjection({
    instructions,
    transcript,
    contextWindow: contextWindow === 'unknown' ? undefined : contextWindow,
    skills: true,
  })
  return () => tell(never)
}

function answered(id: string, path: string): ConversationItem[] {
  const call: ToolItem = {
    id,
    kind: 'tool',
    at: 1,
    assistantId: `a${id}`,
    callId: id,
    name: 'read_file',
    arguments: '{}',
    state: 'done',
    result: {
      ok: true,
      text: `text of ${path}`,
      truncated: false,
      elapsedMs: 1,
      arguments: {},
      view: { kind: 'file', path, startLine: 1, endLine: 1, totalLines: 1, unsaved: false },
    },
  }
  return [{ id: `a${id}`, kind: 'assistant', at: 1, text: '', reasoning: '', state: 'done' }, call]
}
const contents = () => sourcedMessages('System.', items).map(({ message: { role, content } }) => [role, content])

describe('instruction injection', () => {
  it('adds the initial instructions to the system prompt, once', async () => {
    const tell = await telling()
    items.push(userItem('u', 'go', 'safe'))
    await tell()
    await tell()
    expect(items.map(({ kind }) => kind)).toEqual(['user', 'instructions'])
    expect(contents()).toEqual([
      ['system', expect.stringMatching(/^System\.\n\n[\s\S]*Use tabs\./)],
      ['user', 'go'],
    ])
  })

  it("adds a folder's instructions below the result that touched it, and later requests stay the same", async () => {
    const tell = await telling()
    items.push(userItem('u', 'go', 'safe'))
    await tell()
    items.push(...answered('1', 'src/a.ts'))
    await tell()
    const before = contents()
    expect(before.at(-1)).toEqual([
      'tool',
      expect.stringMatching(/^<tool_data>\ntext of src\/a\.ts\n<\/tool_data>\n\n[\s\S]*Only here\./),
    ])
    // Touching the folder again and changing the file do not change what was already sent.
    await writeTree(folder.root, { 'AGENTS.md': 'Use spaces.', 'src/AGENTS.md': 'Other.' })
    items.push(...answered('2', 'src/b.ts'))
    await tell()
    await (
      await telling()
    )()
    expect(contents().slice(0, before.length)).toEqual(before)
    expect(items.filter(({ kind }) => kind === 'instructions')).toHaveLength(2)
  })

  it('adds what the folder brings along once the user trusts it, and not before', async () => {
    await writeTree(folder.root, { 'none/AGENTS.md': 'My own words.' })
    trusted = false
    const tell = await telling()
    items.push(userItem('u', 'go', 'safe'))
    await tell()
    items.push(...answered('1', 'src/a.ts'))
    await tell()
    const before = contents()
    expect(JSON.stringify(before)).toContain('My own words.')
    expect(JSON.stringify(before)).not.toMatch(/Use tabs|Only here/)

    trusted = true
    await tell()
    await tell()
    expect(contents().slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    expect(contents().at(-1)).toEqual(['tool', expect.stringMatching(/Use tabs\./)])
    expect(JSON.stringify(contents()).match(/Use tabs/g)).toHaveLength(1)
    expect(JSON.stringify(contents()).match(/My own words/g)).toHaveLength(1)
  })

  it('adds instructions for touched files even after a steering message', async () => {
    const tell = await telling()
    items.push(userItem('u', 'go', 'safe'))
    await tell()
    items.push(...answered('1', 'src/a.ts'), { ...userItem('s', 'and quickly', 'safe'), steered: true })
    await tell()
    expect(contents().at(-1)).toEqual(['user', expect.stringMatching(/^and quickly\n\n[\s\S]*Only here\./)])
  })

  it('adds rules for attached files below the message', async () => {
    const tell = await telling()
    items.push({
      ...userItem('u', 'restyle', 'safe'),
      attachments: [{ kind: 'file', label: 'a.css', path: 'a.css', text: 'x' }],
    })
    await tell()
    expect(contents().at(-1)).toEqual(['user', expect.stringContaining('Tokens only.')])
  })

  it('uses at most its share of a small window', async () => {
    await writeTree(folder.root, { 'AGENTS.md': 'A line of text.\n'.repeat(2000) })
    const tell = await telling(8192)
    items.push(userItem('u', 'go', 'safe'))
    await tell()
    expect(contents()[0]?.[1]?.length).toBeLessThan(5000)
  })

  it('treats an unknown window like the assumed one', async () => {
    await writeTree(folder.root, { 'AGENTS.md': 'A line of text.\n'.repeat(4000) })
    const lengthIn = async (contextWindow: number | 'unknown') => {
      items = [userItem('u', 'go', 'safe')]
      await (
        await telling(contextWindow)
      )()
      return contents()[0]?.[1]?.length
    }
    const unknown = await lengthIn('unknown')
    expect(unknown).toBe(await lengthIn(assumedWindow))
    expect(unknown).not.toBe(await lengthIn(assumedWindow / 2))
  })
})
