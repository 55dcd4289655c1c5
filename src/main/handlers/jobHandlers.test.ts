import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createJobs } from '../command/jobs.ts'
import type { Jobs } from '../command/jobTypes.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { openWorkspace } from '../workspace/containment.ts'
import { createJobHandlers } from './jobHandlers.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let jobs: Jobs
const signal = new AbortController().signal

beforeEach(async () => {
  folder = await temporaryFolder()
  jobs = createJobs({
    workspaceRoot: folder.root,
    graceMs: 300,
    // Excludes the start-up files of the user's shell.
    environment: { ...process.env, HOME: folder.root },
    onChanged: () => undefined,
    onOutput: () => undefined,
  })
})
afterEach(async () => {
  await jobs.dispose()
  await folder.remove()
})

it('a window opens a terminal, types, reads, resizes, stops and forgets it', async () => {
  const workspace = await openWorkspace(folder.root)
  const handlers = createJobHandlers(
    () => jobs,
    () => workspace,
  )
  const terminal = await handlers['terminal.open']({ columns: 80, rows: 24 }, signal)
  expect(await handlers['jobs.list']({}, signal)).toEqual([terminal])
  const { id } = terminal
  await handlers['jobs.rename']({ id, name: ' server ' }, signal)
  expect(await handlers['jobs.list']({}, signal)).toMatchObject([{ id, name: 'server' }])
  await handlers['jobs.rename']({ id, name: '' }, signal)
  expect(await handlers['jobs.list']({}, signal)).toEqual([terminal])
  await handlers['jobs.resize']({ id, columns: 90, rows: 30 }, signal)
  await handlers['jobs.input']({ id, data: 'echo $((40+2)) $(stty size)\r' }, signal)
  while (!(await handlers['jobs.output']({ id }, signal)).includes('42 30 90')) await sleep(20)
  await handlers['jobs.stop']({ id }, signal)
  expect(await handlers['jobs.list']({}, signal)).toMatchObject([{ id, endedBy: 'stop' }])
  await handlers['jobs.forget']({ id }, signal)
  expect(await handlers['jobs.list']({}, signal)).toEqual([])
})
