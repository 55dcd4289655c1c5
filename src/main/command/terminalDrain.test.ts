import { spawn } from 'node-pty'
import { expect, it } from 'vitest'
import { readToEnd } from './terminalDrain.ts'

const posix = it.skipIf(process.platform === 'win32')
const options = { name: 'xterm', cols: 80, rows: 24, cwd: process.cwd(), env: { PATH: process.env['PATH'] } }

/** Blocks the event loop, as other work on a busy machine does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

posix('output of a command is complete if the event loop is blocked for longer than node-pty waits', async () => {
  const pty = spawn('sh', ['-c', 'seq -f "line %g" 2000'], options)
  readToEnd(pty)
  let output = ''
  pty.onData((data) => {
    output += data
    block(250)
  })
  await new Promise((resolve) => {
    pty.onExit(resolve)
  })
  expect(output.trimEnd().split('\r\n')).toHaveLength(2000)
  expect(output).toContain('line 2000')
})

posix('a process that keeps the terminal open without output does not delay the end', async () => {
  const pty = spawn('sh', ['-c', 'sleep 60 & echo $!'], options)
  readToEnd(pty)
  let output = ''
  pty.onData((data) => {
    output += data
  })
  const exit = await new Promise<{ exitCode: number }>((resolve) => {
    pty.onExit(resolve)
  })
  expect(exit.exitCode).toBe(0)
  const sleeper = Number(output.trim())
  // Ending its terminal ends it too, unless the system is slow to do so.
  try {
    process.kill(sleeper, 'SIGKILL')
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' })
  }
})
