import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../../shared/errors.ts'
import { settingsSchema, type EndpointStatus } from '../../../shared/settings/settings.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { useApp } from '../../platform/appState.ts'
import { emptyChat, useChat } from '../../platform/conversation/chatStore.ts'
import { openPage, useTabs } from '../../platform/editor/tabsStore.ts'
import { recordFirstKept, useFirstChanges } from '../../platform/firstKept.ts'
import { emptyReview, noChanges, useReview } from '../../platform/review/reviewStore.ts'
import { useEndpoints } from '../../platform/models/endpointsStore.ts'
import { handleCommand, type CommandId } from '../../platform/commands.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { FirstSteps } from './FirstSteps.tsx'
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
  render(<FirstSteps inFolder />)
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

describe('a step opens', () => {
  const opened = (command: CommandId, name: string) => {
    let count = 0
    const remove = handleCommand(command, () => void count++)
    show()
    fireEvent.click(screen.getByRole('button', { name }))
    remove()
    return count === 1
  }
  it('the form of a new endpoint', () => {
    expect(opened('settings.open', 'Enter the address of another server')).toBe(true)
    expect(useEndpoints.getState().formToOpen).toBe('new')
  })
  it('the choice of a folder', () => expect(opened('workspace.open', 'Open folder…')).toBe(true))
  it('the dialog that clones', () => expect(opened('git.clone', 'Clone repository…')).toBe(true))
  it('the sample folder', () => expect(opened('sample.open', 'Open sample folder')).toBe(true))
})

describe('a server that cannot be used', () => {
  const running = (problem?: string): EndpointStatus => ({
    endpoint: { id: 'l', name: 'LM Studio', kind: 'openai', baseUrl: 'http://127.0.0.1:1234', hasKey: false },
    reachable: true,
    models: [],
    discovered: true,
    ...(problem !== undefined && { problem }),
  })
  it('without a model is named, and does not count as missing', () => {
    show(running())
    expect(screen.getByText('LM Studio is running and has no model. Load a chat model in it.')).toBeTruthy()
    expect(screen.queryByText(/No model server is running/)).toBeNull()
  })
  it('shows its problem', () => {
    show(running('The server requires a key.'))
    expect(screen.getByText('The server requires a key.')).toBeTruthy()
  })
})

describe('the steps after a folder is open', () => {
  const state = (firstSteps: 'show' | 'done' | 'hidden', root = '/shop') =>
    // The steps read only these fields.
    ({ settings: { ...settingsSchema.parse({}), firstSteps }, workspace: { root, name: 'shop' } }) as AppState
  const step = (title: string) => screen.getByRole('heading', { name: new RegExp(title) }).closest('li')
  const user = { id: 'u', kind: 'user', at: 1, text: 'Change it' } as const
  const answer = { id: 'a', kind: 'assistant', at: 2, text: 'Done.', reasoning: '', state: 'done' } as const
  const file = {
    path: 'a.ts',
    change: 'changed',
    content: 'text',
    added: 1,
    removed: 1,
    hunks: 1,
    revision: 1,
  } as const
  beforeEach(() => {
    main.responses['messages.suggest'] = () => [
      { icon: 'edit', text: 'Change the name', changes: true },
      { icon: 'list-tree', text: 'Explain it' },
    ]
    useApp.setState({ state: state('show') })
    useChat.setState(emptyChat)
    useReview.setState(emptyReview)
    useFirstChanges.setState({ folders: {} })
    useTabs.setState(useTabs.getInitialState(), true)
  })
  afterEach(() => useApp.setState({ state: null }))

  it('suggest messages that change files', async () => {
    const sent: unknown[] = []
    const remove = handleCommand('chat.suggest', (text) => void sent.push(text))
    show(ollama('qwen3:8b'))
    fireEvent.click(await screen.findByRole('button', { name: 'Change the name' }))
    remove()
    expect(sent).toEqual(['Change the name'])
    expect(screen.queryByRole('button', { name: 'Explain it' })).toBeNull()
    expect(step('Ask for a change')?.getAttribute('aria-current')).toBe('step')
  })

  it('say at once what a model of guided turns can do, as main decides', () => {
    const { models, ...server } = ollama('smollm2:135m')
    show({ ...server, models })
    expect(screen.queryByText(/step by step: it changes one line/)).toBeNull()
    act(() => useEndpoints.setState({ endpoints: [{ ...server, models: [{ id: 'smollm2:135m', guided: true }] }] }))
    expect(screen.getByText(/step by step: it changes one line/)).toBeTruthy()
  })

  it('follow the turn: running, answered without a change, changed, kept', () => {
    show(ollama('qwen3:8b'))
    act(() => useChat.setState({ order: ['u'], items: { u: user }, running: true }))
    expect(step('Ask for a change')?.dataset['state']).toBe('waiting')
    act(() => useChat.setState({ order: ['u', 'a'], items: { u: user, a: answer }, running: false }))
    expect(step('Ask for a change')?.dataset['state']).toBe('failed')
    expect(screen.getByText(/press Ctrl\+I and describe the new text/)).toBeTruthy()
    act(() => useReview.setState({ pending: { ...noChanges, files: [file] } }))
    expect(step('Ask for a change')?.dataset['state']).toBe('done')
    expect(step('Keep the change')?.textContent).toContain('a.ts changed.')
    act(() => useApp.setState({ state: state('done') }))
    act(() => useReview.setState(emptyReview))
    expect(step('Keep the change')?.dataset['state']).toBe('done')
  })

  it('ask for another change after the user undid one, also in a new conversation and after a reload', () => {
    show(ollama('qwen3:8b'))
    act(() => useReview.setState({ pending: { ...noChanges, files: [file] } }))
    act(() => useReview.setState(emptyReview))
    expect(step('Ask for a change')?.textContent).toContain('The change no longer waits in the review.')
    expect(step('Ask for a change')?.dataset['state']).toBe('current')
    const review = { message: 'u', files: 1, added: 1, removed: 1 }
    act(() => {
      useFirstChanges.setState({ folders: {} })
      useChat.setState({ order: ['u', 'a'], items: { u: user, a: { ...answer, review } } })
    })
    expect(step('Ask for a change')?.textContent).toContain('The change no longer waits in the review.')
    expect(screen.queryByText(/without changing a file/)).toBeNull()
  })

  it('say that the user stopped a turn, and not that the model answered', () => {
    show(ollama('qwen3:8b'))
    act(() => useChat.setState({ order: ['u'], items: { u: user }, lastOutcome: 'cancelled' }))
    expect(step('Ask for a change')?.textContent).toContain('The turn was stopped before it changed a file.')
    act(() =>
      useChat.setState({
        order: ['u', 'a'],
        items: { u: user, a: { ...answer, state: 'stopped' } },
        lastOutcome: null,
      }),
    )
    expect(step('Ask for a change')?.textContent).toContain('The turn was stopped before it changed a file.')
  })

  it('in a later folder claim no change of it, and guide to one', () => {
    useApp.setState({ state: state('done') })
    show()
    expect(step('Ask for a change')?.textContent).toContain('Connect to a model first.')
    expect(step('Keep the change')?.textContent).toContain('You have kept a change.')
    act(() => useEndpoints.setState({ endpoints: [ollama('qwen3:8b')] }))
    expect(step('Ask for a change')?.dataset['state']).toBe('current')
    act(() => useReview.setState({ pending: { ...noChanges, files: [file] } }))
    expect(step('Keep the change')?.dataset['state']).toBe('current')
    act(() => recordFirstKept())
    act(() => useReview.setState(emptyReview))
    expect(step('Ask for a change')?.textContent).toContain('The model changed a file.')
    expect(step('Keep the change')?.textContent).toContain('You have kept a change.')
    act(() => useApp.setState({ state: state('done', '/other') }))
    expect(step('Ask for a change')?.dataset['state']).toBe('current')
  })

  it('record a kept change after they were hidden: as done while their tab is open, otherwise only in this window', () => {
    useApp.setState({ state: state('hidden') })
    recordFirstKept()
    expect(useFirstChanges.getState().folders).toEqual({ '/shop': 'kept' })
    expect(asked('settings.set')).toEqual([])
    openPage('firstSteps')
    recordFirstKept()
    expect(asked('settings.set')).toEqual([{ firstSteps: 'done' }])
  })

  it('show hidden and control characters in names of files and folders', () => {
    useApp.setState({ state: { ...state('show'), workspace: { root: '/shop', name: 'sh\u202eop' } } as AppState })
    useReview.setState({ pending: { ...noChanges, files: [{ ...file, path: 'a\u202e.ts' }] } })
    show(ollama('qwen3:8b'))
    expect(step('Open a folder')?.textContent).not.toContain('\u202e')
    expect(step('Keep the change')?.textContent).not.toContain('\u202e')
  })
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
