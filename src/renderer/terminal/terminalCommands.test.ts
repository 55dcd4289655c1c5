import { expect, it } from 'vitest'
import type { JobInfo } from '../../shared/tool.ts'
import { testMain } from '../testing/testMain.ts'
import { openTerminal } from './terminalCommands.ts'
import { useJobs } from '../platform/jobs/jobsStore.ts'

it('shows a new terminal and requests the focus for it', async () => {
  const opened: JobInfo = { id: 'term-1', kind: 'terminal', command: 'bash', cwd: '.', state: 'running', startedAt: 1 }
  testMain().responses['terminal.open'] = () => opened
  await openTerminal()
  expect(useJobs.getState()).toMatchObject({ selected: 'term-1', focusRequested: 'term-1', jobs: { 'term-1': opened } })
})

it('runs a command line in a new terminal, as if it were typed', async () => {
  const main = testMain()
  const opened: JobInfo = { id: 'term-2', kind: 'terminal', command: 'bash', cwd: '.', state: 'running', startedAt: 1 }
  main.responses['terminal.open'] = () => opened
  await openTerminal('npm run build')
  expect(main.requests.filter(({ method }) => method === 'jobs.input')).toEqual([
    { method: 'jobs.input', params: { id: 'term-2', data: 'npm run build\r' } },
  ])
})
