import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Endpoint } from '../../shared/settings.ts'
import { testMain, type TestMain } from '../chat/testMain.ts'
import { EndpointForm } from './EndpointForm.tsx'
import { modelsText, nameOf } from './endpoints.ts'

const stored: Endpoint = { id: 'e1', name: 'Box', kind: 'openai', baseUrl: 'http://box:8000', hasKey: true }
let main: TestMain
beforeEach(() => {
  main = testMain()
  main.answers['endpoints.list'] = () => []
})
afterEach(cleanup)

const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } })
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }))
const asked = (method: string) => main.asked.filter((each) => each.method === method).map(({ params }) => params)

describe('the endpoint form', () => {
  it('tests an address before it is saved and names the models it found', async () => {
    main.answers['endpoints.test'] = () => ({
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

  it('shows what is wrong and what helps', async () => {
    main.answers['endpoints.test'] = () => ({
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

  it('keeps a stored key that is left empty, replaces it, or forgets it', async () => {
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
    fireEvent.click(screen.getByLabelText('Forget the stored key'))
    press('Save')
    await waitFor(() => expect(done).toBe(3))
    expect(asked('endpoints.save')).toMatchObject([{}, { key: 'secret' }, { key: null }])
    expect(asked('endpoints.save')[0]).not.toHaveProperty('key')
  })

  it('does not save a context window that is no number', () => {
    render(<EndpointForm endpoint={stored} onDone={() => undefined} />)
    type('Context window', '32k')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Save' }).disabled).toBe(true)
  })

  it('stays open with the reason when main does not save', async () => {
    main.answers['endpoints.save'] = () => {
      throw new Error('No such host.')
    }
    render(<EndpointForm endpoint={stored} onDone={() => undefined} />)
    press('Save')
    await screen.findByText('No such host.')
  })
})

describe('names', () => {
  it('of endpoints come from their address', () => {
    expect(['http://box:8000/v1', 'box:8000', ''].map(nameOf)).toEqual(['box:8000', 'box:8000', 'Endpoint'])
  })

  it('of many models are cut short with how many more there are', () => {
    expect(modelsText({ models: ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id })) })).toBe('5 models: a, b, c, d and 1 more')
  })
})
