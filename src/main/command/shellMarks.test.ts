import { expect, it } from 'vitest'
import { createJobs } from './jobs.ts'
import { withShellMarks } from './shellMarks.ts'

it('leaves variables of the user and other shells alone', () => {
  expect(withShellMarks('/bin/zsh', { A: '1' })).toEqual({ A: '1' })
  expect(withShellMarks('/bin/bash', { PS0: 'mine' })).toMatchObject({ PS0: 'mine' })
})

it.skipIf(process.platform === 'win32')('marks where the output of a command starts and ends in bash', async () => {
  let output = ''
  const jobs = createJobs({
    workspaceRoot: process.cwd(),
    onChanged: () => undefined,
    onOutput: (_id, data) => {
      output += data
    },
    graceMs: 100,
    environment: { PATH: process.env.PATH, HOME: '/nonexistent', SHELL: '/bin/bash', PS1: '$ ' },
  })
  try {
    const { id } = await jobs.openTerminal({ columns: 80, rows: 24 })
    jobs.input(id, 'echo one; false\r')
    await expect.poll(() => output, { timeout: 20_000 }).toContain('\u001b]133;C\u0007one\r\n\u001b]133;D;1\u0007')
  } finally {
    await jobs.dispose()
  }
})
