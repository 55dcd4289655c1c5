import { describe, expect, it } from 'vitest'
import type { CellOutput } from '../../shared/notebook/outputs.ts'
import { folderWithJupyter, openNotebookFolder, type NotebookFolder } from './testing/notebookFolder.ts'

// The real Jupyter and ipykernel, in the real sandbox.

const timeout = 90_000

/** Runs code in the notebook `a.ipynb`. */
function run({ kernels }: NotebookFolder, code: string, key = code, allowsInput = false) {
  return kernels.run('a.ipynb', { key, code, allowsInput })
}

const textOf = (outputs: readonly CellOutput[]): string =>
  outputs
    .map((output) =>
      output.output_type === 'stream'
        ? output.text
        : output.output_type === 'error'
          ? `${output.ename}: ${output.evalue}`
          : String(output.data['text/plain']),
    )
    .join('|')

describe('a kernel', () => {
  it('runs cells in order, with what earlier ones have defined', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context, { 'data.txt': '42' })
    const first = run(folder, 'x = int(open("data.txt").read())\nprint("read", x)')
    const second = run(folder, 'x + 1')
    expect(await first).toMatchObject({ outcome: 'ok', executionCount: 1 })
    expect(textOf((await first).outputs)).toBe('read 42\n')
    expect(await second).toMatchObject({
      outcome: 'ok',
      executionCount: 2,
      outputs: [{ output_type: 'execute_result', data: { 'text/plain': '43' }, execution_count: 2 }],
    })
    expect(folder.progress.flatMap(({ messages }) => messages)).toContainEqual(
      expect.objectContaining({ text: 'read 42\n' }),
    )
    expect(folder.kernels.kernels()).toMatchObject([{ path: 'a.ipynb', status: 'idle', executions: [] }])
  })

  it('has no network and cannot write outside the folder', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    const network = await run(
      folder,
      'import socket\ntry:\n    socket.create_connection(("1.1.1.1", 80), 2)\n    print("connected")\nexcept OSError as e:\n    print("refused")',
    )
    expect(textOf(network.outputs)).toBe('refused\n')
    const { outcome } = await run(folder, 'open("/etc/tizona-test", "w")')
    expect(outcome).toBe('error')
    expect((await run(folder, 'open("inside.txt", "w").write("x")')).outcome).toBe('ok')
  })

  it('aborts the cells behind one that fails', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    const [failed, after] = await Promise.all([run(folder, '1 / 0'), run(folder, 'print("no")')])
    expect(failed.outcome).toBe('error')
    expect(textOf(failed.outputs)).toBe('ZeroDivisionError: division by zero')
    expect(after).toMatchObject({ outcome: 'aborted', outputs: [] })
  })

  it('is interrupted and restarted', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    await run(folder, 'x = 1')
    const sleeping = run(folder, 'print("asleep", flush=True)\nimport time\ntime.sleep(600)')
    await folder.until(([kernel]) => kernel?.status === 'busy')
    await folder.kernels.interrupt('a.ipynb')
    expect((await sleeping).outcome).toBe('error')
    expect(textOf((await sleeping).outputs)).toContain('KeyboardInterrupt')
    expect(textOf((await run(folder, 'print(x)')).outputs)).toBe('1\n')
    await folder.kernels.restart('a.ipynb')
    expect(textOf((await run(folder, 'print(x)', 'again')).outputs)).toContain("name 'x' is not defined")
  })

  it('that dies ends its cell with the reason, and is there again for the next', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    const died = await run(folder, 'import os, signal\nos.kill(os.getpid(), signal.SIGKILL)')
    expect(died.outcome).toBe('error')
    expect(textOf(died.outputs)).toContain('The kernel died')
    expect(textOf((await run(folder, 'print("alive")')).outputs)).toBe('alive\n')
  })

  it('starts in a folder with modules that have the names of others', { timeout }, async (context) => {
    const code = 'open("imported.txt", "w").write(__name__)'
    const folder = await folderWithJupyter(context, {
      'queue.py': code,
      'tornado.py': code,
      'jupyter_server.py': code,
      'own.py': 'x = 1',
    })
    expect(textOf((await run(folder, 'import own, os\nprint(own.x, os.path.exists("imported.txt"))')).outputs)).toBe(
      '1 False\n',
    )
  })

  it('asks for input', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    const asking = run(folder, 'name = input("Name? ")\nprint("Hello", name)', 'ask', true)
    await folder.until(([kernel]) => kernel?.executions[0]?.input?.prompt === 'Name? ')
    folder.kernels.answer('a.ipynb', 'ask', 'Ada')
    expect(textOf((await asking).outputs)).toBe('Name? Ada\nHello Ada\n')
    expect((await run(folder, 'input()')).outcome).toBe('error')
  })

  it('keeps a bounded part of a flood', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    const { outputs } = await run(folder, 'for i in range(200_000):\n    print("line", i)')
    expect(textOf(outputs).length).toBeLessThan(1_200_000)
    expect(textOf(outputs)).toContain('line 0\nline 1\n')
    expect(textOf(outputs)).toMatch(/left out|exceeded/)
  })

  it('shows updated displays and cleared outputs in their last state', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    const code =
      'from IPython.display import display, clear_output\nprint("gone")\nclear_output(wait=True)\nh = display("one", display_id=True)\nh.update("two")'
    expect(textOf((await run(folder, code)).outputs)).toBe("'two'")
  })

  it('is one of those that Jupyter finds', { timeout }, async (context) => {
    const folder = await folderWithJupyter(context)
    expect(await folder.kernels.choices()).toMatchObject({
      kernels: [expect.objectContaining({ name: 'python3', language: 'python' })],
    })
    await expect(
      folder.kernels.run('a.ipynb', { key: 'a', code: '1', allowsInput: false, name: 'julia-1.9' }),
    ).rejects.toThrow('does not have the kernel "julia-1.9"')
    await run(folder, 'x = 1')
    await folder.kernels.start('a.ipynb', 'python3')
    expect(textOf((await run(folder, 'x')).outputs)).toContain('NameError')
  })
})

it('a restricted folder runs nothing', async () => {
  const { kernels } = await openNotebookFolder({}, { isTrusted: () => false })
  await expect(kernels.run('a.ipynb', { key: 'a', code: '1', allowsInput: false })).rejects.toMatchObject({
    code: 'refused',
  })
})

it('a start that hangs can be stopped', async () => {
  const asked = Promise.withResolvers<void>()
  const { kernels } = await openNotebookFolder(
    { '.venv/bin/python': '' },
    {
      sandbox: async () => ({ sandboxed: true, network: false }),
      startProgram(_request, signal) {
        asked.resolve()
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      },
    },
  )
  const started = kernels.run('a.ipynb', { key: 'a', code: '1', allowsInput: false })
  await asked.promise
  await kernels.interrupt('a.ipynb')
  await expect(started).rejects.toThrow('The start of the kernel was stopped.')
  expect(kernels.kernels()).toEqual([])
})

it('nothing runs if the sandbox is not available', async () => {
  const sandbox = async () => ({ sandboxed: false, reason: 'bubblewrap is missing' }) as const
  const { kernels } = await openNotebookFolder(
    {},
    { sandbox, startProgram: () => Promise.reject(new Error('started')) },
  )
  const refusal = 'Notebooks run only in the sandbox, which is not available: bubblewrap is missing.'
  await expect(kernels.run('a.ipynb', { key: 'a', code: '1', allowsInput: false })).rejects.toThrow(refusal)
  expect(await kernels.choices()).toEqual({ kernels: [], missing: { reason: refusal } })
})

it('says what to install if no Python has Jupyter', async () => {
  const { kernels } = await openNotebookFolder({}, { searchPath: '/nonexistent' })
  expect(await kernels.choices()).toEqual({ kernels: [], missing: { reason: 'Python is not on PATH.' } })
  await expect(kernels.run('a.ipynb', { key: 'a', code: '1', allowsInput: false })).rejects.toThrow(
    'There is no Jupyter to run notebooks',
  )
})
