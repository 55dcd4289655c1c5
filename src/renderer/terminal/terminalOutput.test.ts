import { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes'
import { Terminal } from '@xterm/xterm'
import { afterEach, describe, expect, it } from 'vitest'
import { followLastOutput } from './terminalOutput.ts'

it('an emoji of several characters takes two columns in a terminal', async () => {
  const terminal = new Terminal({ cols: 40, rows: 2, allowProposedApi: true })
  terminal.loadAddon(new UnicodeGraphemesAddon())
  const columns = async (text: string): Promise<number> => {
    await new Promise<void>((resolve) => terminal.write(`\r${text}`, resolve))
    return terminal.buffer.active.cursorX
  }
  expect(await columns('👨‍👩‍👧')).toBe(2)
  expect(await columns('❤️')).toBe(2)
  expect(await columns('👍🏽x')).toBe(3)
  expect(await columns('日本e\u0301')).toBe(5)
  terminal.dispose()
})

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

function terminalWith(program = false) {
  const terminal = new Terminal({ cols: 20, rows: 5, scrollback: 100, allowProposedApi: true })
  const output = followLastOutput(terminal, program)
  stops.push(() => {
    output.dispose()
    terminal.dispose()
  })
  return { output, write: (text: string) => new Promise<void>((resolve) => terminal.write(text, resolve)) }
}

const started = '\u001b]133;C\u0007'
const ended = '\u001b]133;D;0\u0007'

describe('the last output of a terminal', () => {
  it('is what the last command printed, by the marks of the shell', async () => {
    const { output, write } = terminalWith()
    await write(`$ ls\r\n${started}old\r\n${ended}$ make\r\n${started}first\r\n\r\nsecond\r\n${ended}$ `)
    expect(output.text()).toBe('first\n\nsecond')
  })

  it('is what a running command has printed so far', async () => {
    const { output, write } = terminalWith()
    await write(`$ make\r\n${started}one\r\ntwo`)
    expect(output.text()).toBe('one\ntwo')
  })

  it('has lines as the program wrote them, not as the terminal wrapped them', async () => {
    const { output, write } = terminalWith()
    await write(`$ x\r\n${started}${'a'.repeat(45)}\r\nb${ended}$ `)
    expect(output.text()).toBe(`${'a'.repeat(45)}\nb`)
  })

  it('starts at the last Enter in a shell without marks', async () => {
    const { output, write } = terminalWith()
    await write('$ ls')
    output.typed('\r')
    await write('\r\na.txt\r\nb.txt\r\n$ ')
    expect(output.text()).toBe('a.txt\nb.txt')
  })

  it('stays when the user presses Enter at an empty prompt of a shell with marks', async () => {
    const { output, write } = terminalWith()
    await write(`$ ls\r\n${started}a.txt\r\n${ended}$ `)
    output.typed('\r')
    await write(`\r\n${ended}$ `)
    expect(output.text()).toBe('a.txt')
  })

  it('is all output of a program, and nothing before the first command', async () => {
    const program = terminalWith(true)
    await program.write('built\r\nin 3 s\r\n')
    expect(program.output.text()).toBe('built\nin 3 s')
    const shell = terminalWith()
    await shell.write('Welcome\r\n$ ')
    expect(shell.output.text()).toBe('')
  })
})
