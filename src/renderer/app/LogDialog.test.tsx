import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { LogTail } from '../../shared/bridge/appState.ts'
import { testMain } from '../testing/testMain.ts'
import { LogDialog } from './LogDialog.tsx'
import { openLog } from './logStore.ts'

afterEach(cleanup)

it('stays closed if it is closed while the log is read again', async () => {
  const main = testMain()
  const log: LogTail = { path: '/log', text: 'entry', truncated: false }
  const again = Promise.withResolvers<LogTail>()
  main.responses['log.read'] = () => log
  await openLog()
  render(<LogDialog />)
  main.responses['log.read'] = () => again.promise
  fireEvent.click(screen.getByRole('button', { name: 'Refresh' }))
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByText('entry')).toBeNull())
  again.resolve(log)
  await again.promise
  await new Promise((resolve) => setTimeout(resolve))
  expect(screen.queryByText('entry')).toBeNull()
})
