import { describe, expect, it } from 'vitest'
import type { ModelDownload } from '../../../shared/models/firstSteps.ts'
import { serve } from '../testing/modelServer.ts'
import { pullModel } from './ollamaPull.ts'

type Progress = Pick<ModelDownload, 'status' | 'completed' | 'total'>

async function pull(url: string, options: { signal?: AbortSignal; onProgress?: (progress: Progress) => void } = {}) {
  await pullModel({
    root: url,
    connection: {},
    target: { name: 'Ollama', kind: 'ollama', baseUrl: url },
    model: 'qwen3:4b',
    signal: options.signal ?? new AbortController().signal,
    onProgress: options.onProgress ?? (() => {}),
  })
}

/** Sends the lines, and ends the response if `end` is true. */
const ollama = (lines: readonly (object | string)[], end = true) =>
  serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    for (const line of lines) response.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
    if (end) response.end()
  })

describe('a download', () => {
  it('asks Ollama for the model, adds up its parts, and ends with success', async () => {
    const bodies: unknown[] = []
    const { url } = await serve((request, response, body) => {
      bodies.push([request.method, request.url, JSON.parse(body)])
      const lines = [
        { status: 'pulling manifest' },
        { status: 'pulling aa', digest: 'sha256:aa', total: 100, completed: 100 },
        { status: 'pulling bb', digest: 'sha256:bb', total: 50, completed: 20 },
        { status: 'success' },
      ]
      const send = () => {
        const line = lines.shift()
        if (!line) return response.end()
        response.write(`${JSON.stringify(line)}\n`)
        // Longer than the minimum time between two reports.
        setTimeout(send, 250)
      }
      send()
    })
    const reports: Progress[] = []
    await pull(url, { onProgress: (progress) => reports.push(progress) })
    expect(bodies).toEqual([['POST', '/api/pull', { model: 'qwen3:4b', stream: true }]])
    expect(reports).toEqual([
      { status: 'pulling manifest', completed: 0, total: 0 },
      { status: 'pulling aa', completed: 100, total: 100 },
      { status: 'pulling bb', completed: 120, total: 150 },
    ])
  })

  it('ignores lines without meaning: text that is not JSON, another type, negative numbers', async () => {
    const reports: Progress[] = []
    const { url } = await ollama([
      '<html>',
      '[1]',
      { status: 7, digest: 'sha256:aa', total: -5, completed: 'x' },
      { status: 'success' },
    ])
    await pull(url, { onProgress: (progress) => reports.push(progress) })
    expect(reports).toEqual([{ status: '', completed: 0, total: 0 }])
  })

  it.each([
    [{ error: 'pull model manifest: file does not exist' }, 'no_model', /no model named qwen3:4b/],
    [{ error: 'write /blobs/x: no space left on device' }, 'server_error', /disk is full/],
    [{ error: 'dial tcp: lookup registry.example: no such host' }, 'unreachable', /cannot reach its library/],
    [{ error: 'something else' }, 'server_error', /something else/],
  ])('reports %j with its cause', async (line, code, message) => {
    const { url } = await ollama([{ status: 'pulling manifest' }, line])
    await expect(pull(url)).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })

  it('reports a refused request, and a stream that ends without success', async () => {
    const refusing = await serve((_request, response) => {
      response.writeHead(404).end('{"error":"pull model manifest: file does not exist"}')
    })
    await expect(pull(refusing.url)).rejects.toMatchObject({ code: 'no_model' })
    const { url } = await ollama([{ status: 'pulling manifest' }])
    await expect(pull(url)).rejects.toMatchObject({ code: 'cut_off', hint: expect.stringContaining('continues') })
  })

  it('ends when it is cancelled', async () => {
    const { url } = await ollama([{ status: 'pulling manifest' }], false)
    const cancel = new AbortController()
    const running = pull(url, { signal: cancel.signal, onProgress: () => cancel.abort() })
    await expect(running).rejects.toMatchObject({ name: 'AbortError' })
  })
})
