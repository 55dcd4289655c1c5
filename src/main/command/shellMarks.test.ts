import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createJobs } from './jobs.ts'
import { withShellMarks } from './shellMarks.ts'

it('leaves other shells and login shells of bash alone', () => {
  for (const shell of [
    { file: '/usr/bin/fish', args: [] },
    { file: '/bin/bash', args: ['-l'] },
  ])
    expect(withShellMarks(shell, { A: '1' }, '/app')).toEqual({ shell, environment: { A: '1' } })
})

it('keeps the folder in which zsh looks for the start files of the user', () => {
  const marked = withShellMarks({ file: '/bin/zsh', args: [] }, { ZDOTDIR: '/home/a/zsh' }, '/app')
  expect(marked.environment).toEqual({
    ZDOTDIR: '/app/shell/zsh',
    TIZONA_ZDOTDIR: '/home/a/zsh',
    TIZONA_MARKS: marked.marksCode,
  })
  expect(marked.marksCode).toMatch(/^[0-9a-f]{32}$/)
})

const resources = path.resolve(import.meta.dirname, '../../../resources')
const startFiles = {
  '.bashrc': `PS1='$ '; OWN=read; HISTCONTROL=ignoreboth; PROMPT_COMMAND='echo "was $?"'`,
  '.zshrc': `PS1='$ '; OWN=read; RPROMPT='right'; precmd() { echo "was $?"; }`,
  '.zshenv': 'setopt ksh_arrays no_unset ignore_braces; ENVIRONMENT=read',
}

for (const shell of ['/bin/bash', '/bin/zsh'])
  it.skipIf(!existsSync(shell))(`marks prompts, command lines and exit codes in ${shell}`, async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'tizona-shell-'))
    for (const [name, text] of Object.entries(startFiles)) await writeFile(path.join(home, name), text)
    let output = ''
    const jobs = createJobs({
      workspaceRoot: home,
      resources,
      onChanged: () => undefined,
      onOutput: (_id, data) => {
        output += data
      },
      graceMs: 100,
      environment: { PATH: process.env.PATH, HOME: home, SHELL: shell },
    })
    const printed = (text: string) => expect.poll(() => output, { timeout: 20_000 }).toContain(text)
    try {
      const { id, marksCode = 'none' } = await jobs.openTerminal({ columns: 80, rows: 24 })
      const line = (text: string) => `\u001b]633;E;${text};${marksCode}\u0007`
      await printed('\u001b]133;A\u0007')
      const typed = 'echo "$OWN" "<${ZDOTDIR-}${TIZONA_MARKS-}>"'
      jobs.input(id, `${typed}; false\r`)
      await printed(`${line(`${typed}\\x3b false`)}\u001b]133;C\u0007read <>\r\n`)
      await printed('was 1')
      expect(output).toContain('\u001b]133;D;1\u0007')
      // A continued line is one command, without what the terminal shows at its start.
      jobs.input(id, "printf '7%s\\n' \\\r8\r")
      // The code of the marks can contain these digits too.
      await printed('\u001b]133;C\u000778\r\n')
      expect(output).toMatch(/633;E;printf '7%s\\\\n' (\\\\\\x0a)?8;/)
      jobs.input(id, '7z\r secret\r')
      await printed(line('7z'))
      jobs.input(id, 'echo en""d\r')
      await printed('end')
      expect(output).not.toMatch(/633;E; ?secret/)
      expect(output).not.toContain(`TIZONA_MARKS=${marksCode}`)
    } finally {
      await jobs.dispose()
      await rm(home, { recursive: true, force: true })
    }
  })
