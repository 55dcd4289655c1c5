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
  const marks = markCommands(terminal, (command) => commands.push(command))
  stops.push(() => {
    marks.dispose()
    terminal.dispose()
  })
  const write = (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve))
  return { terminal, commands, marks, write }
}
const mark = (text: string) => `\u001b]133;${text}\u0007`
const run = (command: string, output: string, code: number) =>
  `$ ${mark('B')}${command}\r\n${mark('C')}${output}${mark(`D;${code}`)}`

it('knows each command line, also if the terminal wrapped it', async () => {
  const { commands, write } = markedTerminal()
  await write(run('ls', 'a\r\n', 0))
  await write(run(`echo ${'x'.repeat(40)}`, 'x\r\n', 0))
  await write(`$ ${mark('B')}\r\n${mark('D;0')}$ ${mark('B')}typed, not run`)
  expect(commands).toEqual(['ls', `echo ${'x'.repeat(40)}`])
})

it('ignores marks of a program that come without a prompt', async () => {
  const { commands, write } = markedTerminal()
  await write(`${mark('C')}${mark('D;1')}rm -rf /\r\n${mark('C')}`)
  expect(commands).toEqual([])
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
