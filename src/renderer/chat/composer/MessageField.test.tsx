import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ImageAttachment } from '../../../shared/agent/attachments.ts'
import { dragPathType } from '../../platform/files/dragTypes.ts'
import { showConversation } from '../../platform/conversation/chatStore.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { useChatView } from '../chatViewStore.ts'
import { addPicture, attachmentsOf, useDraftAttachments } from './draftAttachments.ts'
import { Composer } from './Composer.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
  useChatView.setState({ drafts: {} })
  useDraftAttachments.setState({ byConversation: {} })
  main.responses['files.find'] = ({ query }) => ['src/a b.ts', 'src/c.ts'].filter((path) => path.includes(query))
  main.responses['code.symbols'] = () => ({ symbols: [], building: null })
  main.responses['prompts.list'] = () => [
    { name: 'fix', description: 'Fix an issue', hint: 'number', source: 'workspace' },
  ]
  showConversation({
    info: { id: 'c1', title: 'T', createdAt: 1, updatedAt: 1, workspace: '/w', mode: 'safe', toolset: 'blade' },
    items: [],
    running: false,
    queue: [],
  })
  render(<Composer onSent={() => undefined} />)
})
afterEach(cleanup)

const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
const sent = () => main.requests.filter(({ method }) => method === 'conversations.send').map(({ params }) => params)
const picture: ImageAttachment = {
  kind: 'image',
  label: 'p.png',
  id: 'h',
  mimeType: 'image/png',
  width: 1,
  height: 1,
  size: 1,
}

function type(value: string): void {
  fireEvent.change(field(), { target: { value, selectionStart: value.length, selectionEnd: value.length } })
}

describe('a mention', () => {
  it('is chosen with the keyboard, quoted if necessary, and sent as chosen', async () => {
    type('see @a')
    await screen.findByRole('option', { name: /a b\.ts/ })
    fireEvent.keyDown(field(), { key: 'Enter' })
    expect(field().value).toBe('see @"src/a b.ts" ')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'see @"src/a b.ts" ', chosen: ['@"src/a b.ts"'] }]))
  })

  it('closes its menu on Escape, and Enter then sends the message', async () => {
    type('see @a')
    await screen.findByRole('option', { name: /a b\.ts/ })
    fireEvent.keyDown(field(), { key: 'Escape' })
    expect(screen.queryByRole('listbox')).toBeNull()
    type('see @ab')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: 'see @ab' }]))
  })

  it('of a resource or a special word is not read from a pasted text, unless it is typed or chosen later', async () => {
    const paste = (text: string) => {
      fireEvent.paste(field(), { clipboardData: { types: ['text/plain'], files: [], getData: () => text } })
      type(`${field().value}${text}`)
    }
    type('see @src/c.ts: ')
    paste('x = @diff # @mcp:docs/guide://a @src/c.ts')
    fireEvent.keyDown(field(), { key: 'Enter' })
    const text = 'see @src/c.ts: x = @diff # @mcp:docs/guide://a @src/c.ts'
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text, mentions: ['@src/c.ts'] }]))
    paste('@mcp:docs/guide://a')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(sent().at(-1)).toEqual({ id: 'c1', text: '@mcp:docs/guide://a' }))
    paste('a = @diff + 1')
    type('')
    type('@diff')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(sent().at(-1)).toEqual({ id: 'c1', text: '@diff' }))
  })

  it('is inserted when a file is dropped from the explorer', () => {
    type('see')
    const dataTransfer = {
      types: [dragPathType],
      files: [],
      getData: (kind: string) => (kind === dragPathType ? 'src/a b.ts' : ''),
    }
    fireEvent.drop(field(), { dataTransfer })
    expect(field().value).toBe('see @"src/a b.ts" ')
    expect(attachmentsOf('c1').chosen).toEqual(['@"src/a b.ts"'])
  })
})

describe('a picture', () => {
  it('is sent with the message, and restored if main refuses it', async () => {
    addPicture('c1', picture)
    main.responses['conversations.send'] = () => {
      throw new Error('blind')
    }
    type('what is it')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(field().value).toBe('what is it'))
    expect(attachmentsOf('c1').pictures).toEqual([picture])
    expect(sent()).toEqual([{ id: 'c1', text: 'what is it', images: [{ id: 'h', label: 'p.png' }] }])
  })
})

describe('a slash command', () => {
  it('from a prompt file puts the prompt into the composer without sending it', async () => {
    main.responses['prompts.expand'] = ({ name, args }) => `${name}: ${args}`
    type('/fix 12')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(field().value).toBe('fix: 12'))
    expect(sent()).toEqual([])
  })

  it('that does not exist stays in the composer; a message that merely starts with a slash is sent', async () => {
    type('/nonsense')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(main.requests.some(({ method }) => method === 'prompts.list')).toBe(true))
    await waitFor(() => expect(field().value).toBe('/nonsense'))
    expect(sent()).toEqual([])
    type('/etc/hosts is odd')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(sent()).toEqual([{ id: 'c1', text: '/etc/hosts is odd' }]))
  })

  it('that is built in runs and keeps the text after it', async () => {
    main.responses['conversations.update'] = (change) => ({
      title: 'T',
      createdAt: 1,
      updatedAt: 1,
      workspace: '/w',
      toolset: 'blade',
      ...change,
    })
    type('/plan the move')
    fireEvent.keyDown(field(), { key: 'Enter' })
    await waitFor(() => expect(field().value).toBe('the move'))
    expect(main.requests.find(({ method }) => method === 'conversations.update')?.params).toEqual({
      id: 'c1',
      mode: 'plan',
    })
  })
})
