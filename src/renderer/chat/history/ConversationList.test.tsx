import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { ListedConversation } from '../../../shared/agent/conversation.ts'
import { testMain } from '../../testing/testMain.ts'
import { ConversationList } from './ConversationList.tsx'

afterEach(cleanup)

const listed = (title: string): ListedConversation => ({
  id: title,
  title,
  workspace: '/w',
  mode: 'safe',
  toolset: 'blade',
  createdAt: 0,
  updatedAt: 0,
})

it('a list that is read again after a change has the words of the search that is there now', async () => {
  const main = testMain()
  main.responses['conversations.list'] = ({ query = '' }) => [listed(query === '' ? 'all' : `found ${query}`)]
  let pinned = () => {}
  main.responses['conversations.update'] = () => new Promise((resolve) => (pinned = () => resolve(listed('all'))))
  render(<ConversationList />)
  fireEvent.click(await screen.findByRole('button', { name: 'More actions for all' }))
  fireEvent.click(screen.getByRole('menuitem', { name: 'Pin to the top' }))
  fireEvent.change(screen.getByLabelText('Search conversations'), { target: { value: 'prices' } })
  await screen.findByText('found prices')
  await waitFor(() => expect(main.requests.some(({ method }) => method === 'conversations.update')).toBe(true))
  const before = main.requests.length
  pinned()
  await waitFor(() => expect(main.requests.length).toBe(before + 1))
  expect(main.requests.at(-1)).toEqual({ method: 'conversations.list', params: { query: 'prices' } })
})

it('an answer that arrives after that of a later request is dropped', async () => {
  const main = testMain()
  const answers: ((list: ListedConversation[]) => void)[] = []
  main.responses['conversations.list'] = () => new Promise((resolve) => answers.push(resolve))
  render(<ConversationList />)
  await waitFor(() => expect(answers).toHaveLength(1))
  main.emit('conversation.info', listed('a'))
  await waitFor(() => expect(answers).toHaveLength(2))
  answers[1]?.([listed('new')])
  await screen.findByText('new')
  answers[0]?.([listed('old')])
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(screen.queryByText('old')).toBeNull()
})
