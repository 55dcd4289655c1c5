import { expect, it } from 'vitest'
import { createPipedPrograms } from './pipedProgram.ts'
import type { ProcessTracking } from './jobTypes.ts'

it.each(['before', 'after'])('leaves no program whose start is cancelled %s it runs', async (time) => {
  const cancel = new AbortController()
  const running = new Set<number>()
  const processes: ProcessTracking = {
    variable: 'TIZONA_TEST_JOB',
    async begin() {
      if (time === 'before') cancel.abort()
      return 'tag'
    },
    started(pid) {
      running.add(pid)
      cancel.abort()
    },
    async end(pid) {
      process.kill(pid)
      running.delete(pid)
    },
  }
  const { startConfined } = createPipedPrograms({
    processes,
    plan: () => Promise.reject(new Error('Not used.')),
    source: process.env,
  })
  const program = { program: process.execPath, args: ['-e', 'setTimeout(() => {}, 5000)'], cwd: process.cwd() }
  await expect(startConfined({ ...program, confinement: 'none' }, cancel.signal)).rejects.toThrow('aborted')
  expect(running.size).toBe(0)
})
