import { onTestFinished, test, expect } from 'vitest'
import { debuggerOfType } from './debuggerTable.ts'
import { openDebugFolder } from './testing/debugFolder.ts'

const python = debuggerOfType('python')
if (python === undefined) throw new Error('The table has no Python.')

const program = `import json

def total(items):
    result = 0
    for item in items:
        result += item["price"]
    return result

data = json.loads('[{"price": 2}, {"price": 3}]')
print("total", total(data))
`

test('a breakpoint stops a Python program in the sandbox, values are read and changed, and it ends', async () => {
  const folder = await openDebugFolder({ 'main.py': program })
  onTestFinished(() => folder.close())
  const { sessions } = folder
  await sessions.setLineBreakpoints('main.py', [{ id: 'a', path: 'main.py', line: 6, enabled: true }])
  const session = await sessions.start(
    {
      name: 'main.py',
      debugger: python,
      request: 'launch',
      configuration: { program: `${folder.root}/main.py`, cwd: folder.root },
      owner: 'user',
    },
    AbortSignal.timeout(30_000),
  )
  await session.stoppedAfter(0, AbortSignal.timeout(10_000))
  expect(session.info()).toMatchObject({ state: 'stopped', stop: { reason: 'breakpoint' } })
  const [frame] = (await session.stack(session.info().stop?.threadId ?? 0, 0, 20)).frames
  expect(frame).toMatchObject({ name: 'total', path: 'main.py', line: 6 })
  const [{ reference } = { reference: 0 }] = await session.scopes(frame?.id ?? 0)
  const variables = await session.variables({ reference, start: 0, count: 100 })
  expect(variables.find(({ name }) => name === 'result')).toMatchObject({ value: '0', type: 'int' })
  await session.setVariable(reference, 'result', '100')
  expect(await session.evaluate({ expression: 'result + 1', frameId: frame?.id, context: 'repl' })).toMatchObject({
    value: '101',
  })
  await sessions.setLineBreakpoints('main.py', [])
  await session.control('continue')
  await session.ended
  expect(folder.text()).toContain('total 105')
  expect(session.info()).toMatchObject({ state: 'ended', exitCode: 0 })
})
