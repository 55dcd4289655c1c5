import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/settings/settings.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { EndpointForm } from './EndpointForm.tsx'
import { modelsText, defaultEndpointName } from '../platform/models/endpointsStore.ts'

const stored: Endpoint = { id: 'e1', name: 'Box', kind: 'openai', baseUrl: 'http://box:8000', hasKey: true }
let main: TestMain
beforeEach(() => {
  main = testMain()
  main.responses['endpoints.list'] = () => []
})
afterEach(cleanup)

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const asked = (method: string) => main.requests.filter((each) => each.method === method).map(({ params }) => params)

describe('the endpoint form', () => {
  it('tests an address before saving and lists the models found', async () => {
    main.responses['endpoints.test'] = () => ({
      endpoint: stored,
      reachable: true,
      discovered: false,
      models: [{ id: 'qwen' }, { id: 'llama' }],
    })
    render(<EndpointForm onDone={() => undefined} />)
    type('Address', 'localhost:8080')
    press('Test')
    await screen.findByText('2 models: qwen, llama')
    expect(asked('endpoints.test')).toEqual([
      { endpoint: { name: 'localhost:8080', kind: 'openai', baseUrl: 'localhost:8080', hasKey: false } },
    ])
    expect(asked('endpoints.save')).toEqual([])
  })

  it('shows the problem and what to do about it', async () => {
    main.responses['endpoints.test'] = () => ({
      endpoint: stored,
      reachable: false,
      discovered: false,
      models: [],
      problem: 'Nothing answers. Start the server.',
    })
    render(<EndpointForm onDone={() => undefined} />)
    type('Address', 'http://localhost:1')
    press('Test')
    await screen.findByText('Nothing answers. Start the server.')
  })

  it('keeps a stored key if the field is empty, replaces it, or removes it', async () => {
    let done = 0
    const { rerender } = render(
      <EndpointForm
        key="keep"
        endpoint={stored}
        onDone={() => {
          done += 1
        }}
      />,
    )
    press('Save')
    await waitFor(() => expect(done).toBe(1))
    rerender(
      <EndpointForm
        key="replace"
        endpoint={stored}
        onDone={() => {
          done += 1
        }}
      />,
    )
    type('Key', 'secret')
    press('Save')
    await waitFor(() => expect(done).toBe(2))
    rerender(
      <EndpointForm
        key="forget"
        endpoint={stored}
        onDone={() => {
          done += 1
        }}
      />,
    )
    fireEvent.click(screen.getByLabelText('Remove the stored key'))
    press('Save')
    await waitFor(() => expect(done).toBe(3))
    expect(asked('endpoints.save')).toMatchObject([{}, { key: 'secret' }, { key: null }])
    expect(asked('endpoints.save')[0]).not.toHaveProperty('key')
  })

  it('sends headers, certificate, timeouts and options, and omits empty fields', async () => {
    main.responses['endpoints.test'] = () => ({
      endpoint: stored,
      reachable: true,
      discovered: false,
      models: [{ id: 'qwen' }],
    })
    render(
      <EndpointForm
        endpoint={{ ...stored, headers: ['X-Old'], models: { qwen: { think: 'off' } } }}
        onDone={() => undefined}
      />,
    )
    press('Add header')
    const names = screen.getAllByLabelText('Header name')
    fireEvent.change(names[1] ?? document.body, { target: { value: 'X-Team' } })
    type('Value of X-Team', 'blue')
    type('Certificate authority', '/etc/ca.pem')
    type('Answer timeout (s)', '1200')
    type('Maximum output', '4000')
    fireEvent.change(screen.getByLabelText('Supports images'), { target: { value: 'yes' } })
    type('Extra body', '{"top_k": 40}')
    press('Test')
    await screen.findByText('1 model: qwen')
    expect(asked('endpoints.test')).toEqual([
      {
        endpoint: {
          id: 'e1',
          name: 'Box',
          kind: 'openai',
          baseUrl: 'http://box:8000',
          hasKey: true,
          headers: ['X-Old', 'X-Team'],
          headerValues: { 'X-Team': 'blue' },
          caFile: '/etc/ca.pem',
          patience: { answer: 1200 },
          models: { qwen: { think: 'off', maxTokens: 4000, vision: true, extraBody: { top_k: 40 } } },
        },
      },
    ])
  })

  it.each([
    ['Answer timeout (s)', '0'],
    ['Top p', '2'],
    ['Extra body', '{"top_k": '],
  ])('does not save "%s" as %s', (label, value) => {
    render(<EndpointForm endpoint={{ ...stored, models: { qwen: { think: 'off' } } }} onDone={() => undefined} />)
    type(label, value)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
  })

  it('shows the server, the features of its models, and whether it counts tokens', async () => {
    main.responses['endpoints.test'] = () => ({
      endpoint: stored,
      reachable: true,
      discovered: false,
      server: 'vLLM',
      countsTokens: true,
      models: [
        { id: 'qwen', contextWindow: 32_768, tools: true, vision: true },
        { id: 'gemma', tools: false },
      ],
    })
    render(<EndpointForm endpoint={stored} onDone={() => undefined} />)
    press('Test')
    await screen.findByText('Server: vLLM. The server counts tokens.')
    await screen.findByText('32k context · tool calls · images')
    await screen.findByText('unknown context size · calls as text')
  })

  it('does not save a context window that is not a number', () => {
    render(<EndpointForm endpoint={stored} onDone={() => undefined} />)
    type('Context window', '32k')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
  })

  it('stays open and shows the reason if saving fails', async () => {
    main.responses['endpoints.save'] = () => {
      throw new Error('No such host.')
    }
    render(<EndpointForm endpoint={stored} onDone={() => undefined} />)
    press('Save')
    await screen.findByText('No such host.')
  })
})

describe('names', () => {
  it('of endpoints are derived from their address', () => {
    expect(['http://box:8000/v1', 'box:8000', ''].map((url) => defaultEndpointName(url, 'openai'))).toEqual([
      'box:8000',
      'box:8000',
      'Endpoint',
    ])
  })

  it('of a new model file has a placeholder of its own', () => {
    const name = () => screen.getByLabelText<HTMLInputElement>('Name').placeholder
    render(<EndpointForm kind="gguf" onDone={() => undefined} />)
    expect(name()).toBe('Model file')
    type('Model file', '/models/qw')
    expect(name()).toBe('Model file')
    type('Model file', '/models/qwen.gguf')
    expect(name()).toBe('qwen')
  })

  it('of many models are truncated with a count of the others', () => {
    expect(modelsText({ models: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id })) })).toBe(
      '5 models: a, b, c, d and 1 more',
    )
  })
})
