import { Terminal } from '@xterm/xterm'
import { afterEach, expect, it } from 'vitest'
import { markCommands } from './commandMarks.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

function markedTerminal() {
  const terminal = new Terminal({ cols: 20, rows: 5, scrollback: 1000, allowProposedApi: true })
  const commands: string[] = []
  const marks = markCommands(terminal, { code: 'secret', onCommand: (command) => commands.push(command) })
  stops.push(() => {
    marks.dispose()
    terminal.dispose()
  })
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
  return { terminal, commands, marks, write }
}
const mark = (text: string) => `\u001b]133;${text}\u0007`
const line = (text: string, code = 'secret') => `\u001b]633;E;${text};${code}\u0007`
const run = (command: string, output: string, code: number) =>
  `${mark('A')}$ ${command}\r\n${line(command)}${mark('C')}${output}${mark(`D;${code}`)}`

it('takes command lines from the shell, not from the screen', async () => {
  const { commands, write } = markedTerminal()
  await write(
    `${mark('A')}$ echo ${'x'.repeat(40)}\r\n${line(String.raw`echo \\\\ a\x3b\x0ab`)}${mark('C')}${mark('D;0')}`,
  )
  await write(`${mark('A')}$ \r\n${mark('D;0')}${mark('A')}$ typed, not run`)
  expect(commands).toEqual(['echo \\\\ a;\nb'])
})

it('ignores command lines of programs, which do not know the code', async () => {
  const { commands, write } = markedTerminal()
  await write(`${mark('A')}$ cat evil\r\n${line('cat evil')}${mark('C')}`)
  await write(`${mark('A')}git status${line('git status; rm -rf ~', 'guess')}${line('rm -rf ~', '')}${mark('C')}`)
  expect(commands).toEqual(['cat evil'])
})

it('knows whether the shell waits for a command', async () => {
  const { marks, write } = markedTerminal()
  expect(marks.atPrompt()).toBe(false)
  await write(`${mark('A')}$ vim`)
  expect(marks.atPrompt()).toBe(true)
  await write(`\r\n${mark('C')}`)
  expect(marks.atPrompt()).toBe(false)
  await write(`${mark('D;0')}${mark('A')}$ `)
  expect(marks.atPrompt()).toBe(true)
})

it('scrolls from command to command', async () => {
  const { terminal, marks, write } = markedTerminal()
  for (const command of ['one', 'two']) await write(run(command, 'line\r\n'.repeat(20), 0))
  const shown = () => terminal.buffer.active.getLine(terminal.buffer.active.viewportY)?.translateToString(true)
  marks.scrollToCommand(-1)
  expect(shown()).toBe('$ two')
  marks.scrollToCommand(-1)
  expect(shown()).toBe('$ one')
  marks.scrollToCommand(-1)
  expect(shown()).toBe('$ one')
  marks.scrollToCommand(1)
  expect(shown()).toBe('$ two')
})
