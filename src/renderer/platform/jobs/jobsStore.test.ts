import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { JobInfo } from '../../../shared/commands/jobs.ts'
import { testMain } from '../../testing/testMain.ts'
import { followJob, jobEvents, jobNames, jobStateText, jobTone, restoreJobs, selectJob, useJobs } from './jobsStore.ts'

const job = (id: string, more: Partial<JobInfo> = {}): JobInfo => ({
  id,
  kind: 'command',
  command: 'npm test',
  cwd: '.',
  state: 'running',
  startedAt: 1,
  ...more,
})

beforeEach(() => useJobs.setState({ jobs: {}, selected: null, focusRequested: null }, true))

describe('jobs', () => {
  it('are restored in start order', () => {
    restoreJobs({ jobs: [job('b', { startedAt: 5 }), job('a', { startedAt: 2 })] })
    expect(Object.keys(useJobs.getState().jobs)).toEqual(['a', 'b'])
  })

  it('keep their position when they change, and are removed when forgotten', () => {
    restoreJobs({ jobs: [job('a'), job('b')] })
    selectJob('a')
    jobEvents['job.changed'](job('a', { state: 'exited', exitCode: 1 }))
    expect(Object.keys(useJobs.getState().jobs)).toEqual(['a', 'b'])
    jobEvents['job.forgotten']({ id: 'a' })
    expect(useJobs.getState()).toMatchObject({ selected: null, jobs: { b: { id: 'b' } } })
  })
})

describe('followJob', () => {
  let written: string
  const follow = (load: () => Promise<string>) =>
    followJob('a', {
      load,
      write: (data) => void (written += data),
      reset: () => void (written = ''),
      onError: (error) => void (written = String(error)),
    })
  const output = (data: string, id = 'a') => jobEvents['job.output']({ id, data })
  beforeEach(() => void (written = ''))

  it('writes stored output first, then new output, without duplicates', async () => {
    const stop = follow(() => Promise.resolve('one two '))
    output('two ')
    await Promise.resolve()
    output('three')
    output('other', 'b')
    stop()
    output('late')
    expect(written).toBe('one two three')
  })

  it('begins again with the stored output after a connection that missed some', async () => {
    const main = testMain()
    let stored = 'one '
    const stop = follow(() => Promise.resolve(stored))
    await Promise.resolve()
    output('two ')
    stored = 'one two missed '
    main.emit('app.reconnected', { restarted: false })
    // Contained in what is stored.
    output('missed ')
    await vi.waitFor(() => expect(written).toBe('one two missed '))
    output('three')
    expect(written).toBe('one two missed three')
    stop()
  })

  it('keeps what it shows if the stored output cannot be loaded again', async () => {
    const main = testMain()
    let isGone = false
    const stop = follow(() => (isGone ? Promise.reject(new Error('gone')) : Promise.resolve('one')))
    await Promise.resolve()
    isGone = true
    main.emit('app.reconnected', { restarted: true })
    await new Promise((resolve) => setTimeout(resolve))
    expect(written).toBe('one')
    stop()
  })

  it('reports that the stored output could not be loaded', async () => {
    follow(() => Promise.reject(new Error('gone')))
    await vi.waitFor(() => expect(written).toBe('Error: gone'))
  })
})

it('uses the names that the user gave', () => {
  expect([
    ...jobNames([job('a', { kind: 'terminal', name: 'server' }), job('b', { kind: 'terminal' })]).values(),
  ]).toEqual(['server', 'npm test'])
})

it('numbers terminals of the same name', () => {
  const jobs = [
    job('a', { kind: 'terminal', command: 'bash' }),
    job('b', { command: 'bash' }),
    job('c', { kind: 'terminal', command: 'bash' }),
  ]
  expect([...jobNames(jobs).values()]).toEqual(['bash', 'bash', 'bash (2)'])
})

describe('the text for a job state', () => {
  it.each<[Partial<JobInfo>, string, string]>([
    [{}, 'running', 'running'],
    [{ state: 'waiting_for_input' }, 'waiting for input', 'waiting'],
    [{ state: 'exited', exitCode: 0 }, 'exit 0', 'success'],
    [{ state: 'exited', exitCode: 2 }, 'exit 2', 'failure'],
    [{ state: 'killed', endedBy: 'timeout' }, 'timed out', 'failure'],
    [{ state: 'killed', endedBy: 'processes' }, 'too many processes', 'failure'],
    [{ state: 'killed', endedBy: 'memory' }, 'too much memory', 'failure'],
    [{ state: 'killed', endedBy: 'stop' }, 'stopped', 'ended'],
    [{ state: 'killed', signal: 'SIGSEGV' }, 'SIGSEGV', 'failure'],
    [{ state: 'failed' }, 'could not start', 'failure'],
  ])('%o is "%s"', (more, text, tone) => {
    expect(jobStateText(job('a', more))).toBe(text)
    expect(jobTone(job('a', more))).toBe(tone)
  })
})
