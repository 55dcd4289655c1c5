import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createJobs } from './jobs.ts'
import { withShellMarks } from './shellMarks.ts'

it('leaves variables of the user and other shells alone', () => {
  expect(withShellMarks('/bin/zsh', { A: '1' })).toEqual({ A: '1' })
  expect(withShellMarks('/bin/bash', { PS0: 'mine' })).toMatchObject({ PS0: 'mine' })
})

it('keeps the folder in which zsh looks for the start files of the user', () => {
  expect(withShellMarks('/bin/zsh', { ZDOTDIR: '/home/a/zsh' }, '/app')).toEqual({
    ZDOTDIR: '/app/shell/zsh',
    TIZONA_ZDOTDIR: '/home/a/zsh',
  })
})

const resources = path.resolve(import.meta.dirname, '../../../resources')

for (const shell of ['/bin/bash', '/bin/zsh'])
  it.skipIf(!existsSync(shell))(`marks the prompt and the output of a command in ${shell}`, async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'tizona-shell-'))
    for (const name of ['.bashrc', '.zshrc']) await writeFile(path.join(home, name), 'PS1="$ "; OWN=read')
    let output = ''
    const jobs = createJobs({
      workspaceRoot: process.cwd(),
      resources,
      onChanged: () => undefined,
      onOutput: (_id, data) => {
        output += data
      },
      graceMs: 100,
      environment: { PATH: process.env.PATH, HOME: home, SHELL: shell },
    })
    try {
      const { id } = await jobs.openTerminal({ columns: 80, rows: 24 })
      await expect.poll(() => output, { timeout: 20_000 }).toContain('$ \u001b]133;B\u0007')
      jobs.input(id, 'echo "$OWN"; echo "<$ZDOTDIR>"; false\r')
      await expect
        .poll(() => output, { timeout: 20_000 })
        .toMatch(/\u001b\]133;C\u0007read\r\n<>\r\n[^]*\u001b\]133;D;1\u0007/)
    } finally {
      await jobs.dispose()
      await rm(home, { recursive: true, force: true })
    }
  })
