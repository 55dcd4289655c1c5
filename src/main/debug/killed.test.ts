import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { hasSandbox } from '../command/testing/sandboxedJobs.ts'
import { roundsOf } from '../testing/longForm.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'

// A separate process debugs a program and is killed with SIGKILL.

const run = promisify(execFile)
const moduleUrl = (file: string): string => JSON.stringify(pathToFileURL(path.join(import.meta.dirname, file)).href)

/** Source of a process that prints its folder once the program has stopped, or why it cannot. */
const script = `
  const { openDebugFolder } = await import(${moduleUrl('testing/debugFolder.ts')})
  const { debuggerOfType } = await import(${moduleUrl('debuggerTable.ts')})
  const folder = await openDebugFolder({ 'main.py': 'import os\\nif os.fork() == 0:\\n    os.setsid()\\n    import time; time.sleep(600)\\nprint(1)\\n' })
  const { sessions, root } = folder
  const { missing } = (await sessions.debuggers()).find(({ id }) => id === 'python')
  if (missing) console.log('missing ' + missing.reason)
  else {
    await sessions.setLineBreakpoints('main.py', [{ id: 'a', path: 'main.py', line: 5, enabled: true }])
    const session = await sessions.start({ name: 'x', debugger: debuggerOfType('python'), request: 'launch', configuration: { program: root + '/main.py', cwd: root }, owner: 'user' }, AbortSignal.timeout(30000))
    await session.stoppedAfter(0, AbortSignal.timeout(30000))
    console.log('stopped ' + root)
  }
  setInterval(() => {}, 1000)
`

async function processesOf(folder: string): Promise<string[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,args='])
  return stdout.split('\n').filter((line) => line.includes(folder))
}

test('nothing of a debugger survives when Tizona is killed while a program is stopped', async ({ skip }) => {
  if (!(await hasSandbox())) skip('no sandbox')
  const data = await temporaryFolder({})
  onTestFinished(data.remove)
  for (let round = 0; round < roundsOf(30); round++) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: data.root },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    if (line.startsWith('missing ')) {
      child.kill('SIGKILL')
      skip(line.slice('missing '.length))
    }
    const root = line.replace('stopped ', '')
    expect(await processesOf(root)).not.toEqual([])
    child.kill('SIGKILL')
    await expect.poll(() => processesOf(root), { timeout: 10_000 }).toEqual([])
  }
}, 240_000)
