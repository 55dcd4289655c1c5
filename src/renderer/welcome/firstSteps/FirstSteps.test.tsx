import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../../shared/errors.ts'
import { settingsSchema, type EndpointStatus } from '../../../shared/settings/settings.ts'
import { useEndpoints } from '../../platform/models/endpointsStore.ts'
import { handleCommand, type CommandId } from '../../platform/commands.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { FirstSteps } from './FirstSteps.tsx'
import { FirstStepsDialog } from './FirstStepsDialog.tsx'
import { registerFirstSteps, useFirstSteps } from './firstStepsStore.ts'

const gibibyte = 1024 ** 3
const ollama = (...models: string[]): EndpointStatus => ({
  endpoint: { id: 'o', name: 'Ollama', kind: 'ollama', baseUrl: 'http://127.0.0.1:11434', hasKey: false },
  reachable: true,
  models: models.map((id) => ({ id, tools: true })),
  discovered: true,
})

let main: TestMain
let stop: () => void
const asked = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)
const show = (...endpoints: EndpointStatus[]) => {
  useEndpoints.setState({ endpoints, loadedAt: 1 })
  render(<FirstSteps folderActions />)
}

beforeEach(() => {
  main = testMain()
  main.responses['machine.get'] = () => ({ memory: 16 * gibibyte, platform: 'linux' })
  main.responses['settings.set'] = (change) => settingsSchema.parse(change)
  useFirstSteps.setState({ machine: null, downloads: {}, failures: {}, checks: {} })
  stop = registerFirstSteps()
})
afterEach(() => {
  stop()
  cleanup()
})

it('without a server, each one has its command to install and to start, for this system', async () => {
  show()
  expect(screen.getByText(/No model server is running/)).toBeTruthy()
  expect(screen.getAllByRole('heading', { level: 4 }).map(({ textContent }) => textContent)).toEqual([
    'Ollama',
    'LM Studio',
    'llama.cpp',
    'vLLM',
  ])
  expect(await screen.findByText(/install\.sh/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Copy the command that starts Ollama' })).toBeTruthy()
})

describe('what the steps open is not behind their dialog', () => {
  const opened = (command: CommandId, name: string) => {
    let closed: boolean | undefined
    const remove = handleCommand(command, () => {
      closed = !useFirstSteps.getState().open
    })
    useEndpoints.setState({ endpoints: [], loadedAt: 1 })
    useFirstSteps.setState({ open: true })
    render(<FirstStepsDialog />)
    fireEvent.click(screen.getByRole('button', { name }))
    remove()
    return closed && screen.queryByRole('dialog') === null
  }
  it('the form of a new endpoint', () => {
    expect(opened('settings.open', 'Enter the address of another server')).toBe(true)
    expect(useEndpoints.getState().formToOpen).toBe('new')
  })
  it('the choice of a folder', () => expect(opened('workspace.open', 'Open folder…')).toBe(true))
  it('the dialog that clones', () => expect(opened('git.clone', 'Clone repository…')).toBe(true))
})

it('a server that starts appears without a click', async () => {
  show()
  useEndpoints.setState({ endpoints: [ollama('qwen3:8b', 'qwen3:4b')] })
  expect(await screen.findByText('Ready: Ollama (2 models)')).toBeTruthy()
})

describe('a download', () => {
  it('recommends a model for the memory, shows its progress, and can be cancelled', async () => {
    main.responses['models.download'] = () => new Promise(() => {})
    main.responses['models.cancelDownload'] = () => undefined
    show(ollama())
    const recommended = (await screen.findByText('Recommended')).closest('li')
    expect(recommended?.textContent).toContain('qwen3:14b')
    expect(screen.getAllByText(/This machine has 16 GB/)).toHaveLength(2)
    fireEvent.click(screen.getByRole('button', { name: 'Download qwen3:8b' }))
    expect(asked('models.download')).toEqual([{ endpointId: 'o', model: 'qwen3:8b' }])
    main.emit('models.downloadProgress', {
      endpointId: 'o',
      model: 'qwen3:8b',
      status: 'pulling aa',
      completed: gibibyte,
      total: 4 * gibibyte,
    })
    expect(await screen.findByText('1.0 GB of 4.0 GB')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(asked('models.cancelDownload')).toEqual([{ endpointId: 'o', model: 'qwen3:8b' }]))
  })

  it('that failed shows the reason, and can be started again', async () => {
    main.responses['models.download'] = () => {
      throw new ToolError('io_error', 'The disk is full.', 'Free some space.')
    }
    show(ollama())
    fireEvent.click(await screen.findByRole('button', { name: 'Download qwen3:4b' }))
    const last = { endpointId: 'o', model: 'qwen3:4b', status: '', completed: 0, total: 0 }
    main.emit('models.downloadProgress', { ...last, ended: { failure: 'The disk is full. Free some space.' } })
    expect((await screen.findByRole('alert')).textContent).toBe('The disk is full. Free some space.')
    fireEvent.click(screen.getByRole('button', { name: 'Download qwen3:4b' }))
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

it('a download whose request fails without a report does not stay in progress', async () => {
  main.responses['models.download'] = () => {
    throw new ToolError('io_error', 'The connection to Tizona was lost.', 'Try again.')
  }
  show(ollama())
  fireEvent.click(await screen.findByRole('button', { name: 'Download qwen3:4b' }))
  expect((await screen.findByRole('alert')).textContent).toBe('The connection to Tizona was lost. Try again.')
  expect(screen.queryByRole('progressbar')).toBeNull()
})

describe('a check', () => {
  it('says whether the model calls tools, and how large its context is', async () => {
    main.responses['models.check'] = () => ({
      calls: 'native',
      contextWindow: 4096,
      firstAnswerMs: 1500,
      totalMs: 2000,
    })
    show(ollama('qwen3:8b'))
    fireEvent.click(screen.getByRole('button', { name: 'Check model' }))
    expect(
      await screen.findByText(/The model calls tools\. Its context size is 4k tokens, which is small/),
    ).toBeTruthy()
    expect(asked('models.check')).toEqual([{ endpointId: 'o', model: 'qwen3:8b' }])
  })

  it('that failed shows the reason', async () => {
    main.responses['models.check'] = () => {
      throw new ToolError('io_error', 'The model does not fit into memory.', 'Choose a smaller one.')
    }
    show(ollama('qwen3:8b'))
    fireEvent.click(screen.getByRole('button', { name: 'Check model' }))
    expect(await screen.findByText('The model does not fit into memory. Choose a smaller one.')).toBeTruthy()
  })
})
