import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { NotebookKernel } from '../../shared/notebook/kernels.ts'
import type { AppState } from '../../shared/bridge/appState.ts'
import { useApp } from '../platform/appState.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { notebooks, registerNotebook } from './registerNotebook.ts'

const kernel: NotebookKernel = {
  path: 'a.ipynb',
  kernel: { name: 'python3', title: 'Python 3', language: 'python' },
  status: 'busy',
  executions: [],
}

let main: TestMain
let stop = () => {}
beforeEach(() => {
  main = testMain()
  main.responses['notebook.kernels'] = () => []
  // The subset of the state that is read.
  useApp.setState({ state: { workspace: { root: '/a' } } as AppState })
})
afterEach(async () => {
  stop()
  useApp.setState({ state: null })
})

const kernelsInWindow = async () => Object.keys((await notebooks.load()).useKernels.getState().kernels)

it('kernels that ran before the window are there', async () => {
  main.responses['notebook.kernels'] = () => [kernel]
  const load = vi.spyOn(notebooks, 'load')
  stop = registerNotebook()
  await vi.waitFor(() => expect(load).toHaveBeenCalled())
  await vi.waitFor(async () => expect(await kernelsInWindow()).toEqual(['a.ipynb']))
  load.mockRestore()
})

it('a kernel that starts later is there', async () => {
  stop = registerNotebook()
  main.responses['notebook.kernels'] = () => [kernel]
  main.emit('notebook.changed', { kernels: [kernel] })
  await vi.waitFor(async () => expect(await kernelsInWindow()).toEqual(['a.ipynb']))
})

it('without a kernel nothing loads', async () => {
  const load = vi.spyOn(notebooks, 'load')
  stop = registerNotebook()
  main.emit('notebook.changed', { kernels: [] })
  await vi.waitFor(() => expect(main.requests.map(({ method }) => method)).toEqual(['notebook.kernels']))
  expect(load).not.toHaveBeenCalled()
  load.mockRestore()
})
