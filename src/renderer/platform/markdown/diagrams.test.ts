import { renderMermaidSVG } from 'beautiful-mermaid'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { DiagramColors } from './diagramColors.ts'
import { diagramText, drawDiagram, problemOf } from './diagrams.ts'

const colors: DiagramColors = {
  bg: '#000',
  fg: '#fff',
  line: '#888',
  accent: '#08f',
  muted: '#777',
  surface: '#111',
  border: '#333',
}

/** A worker that answers with `respond`, or never if it returns undefined. */
class FakeWorker {
  static all: FakeWorker[] = []
  static respond: (source: string) => { svg?: string; problem?: string } | undefined
  onmessage: ((event: { data: unknown }) => void) | null = null
  terminated = false
  constructor() {
    FakeWorker.all.push(this)
  }
  postMessage({ source }: { source: string }): void {
    const data = FakeWorker.respond(source)
    if (data) queueMicrotask(() => this.onmessage?.({ data }))
  }
  terminate(): void {
    this.terminated = true
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('Worker', FakeWorker)
  FakeWorker.all = []
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('names the kinds of diagrams that cannot be drawn, and refuses huge ones', () => {
  expect(problemOf('gantt\n title x')).toContain('"gantt"')
  expect(problemOf('graph TD\n' + 'A-->B\n'.repeat(5000))).toBe('The diagram is too large to draw.')
  expect(problemOf('flowchart LR\n A --> B')).toBe(null)
  expect(problemOf('')).toBe('The diagram is empty.')
})

it('removes front matter and comments', () => {
  expect(diagramText('---\ntitle: X\n---\n%%{init: {}}%%\nflowchart LR\n %% note\n A-->B\n')).toBe(
    'flowchart LR\n A-->B',
  )
  expect(diagramText('---\nno end')).toBe('---\nno end')
})

it('ends a drawing that takes too long, and draws the next one with a new worker', async () => {
  FakeWorker.respond = (source) => (source.includes('hang') ? undefined : { svg: `<svg>${source}</svg>` })
  const hanging = drawDiagram('graph TD\n hang', colors).catch(String)
  const next = drawDiagram('graph TD\n fine', colors)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await hanging).toBe('Error: The diagram took too long to draw.')
  expect(await next).toBe('<svg>graph TD\n fine</svg>')
  expect(FakeWorker.all.map(({ terminated }) => terminated)).toEqual([true, false])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(FakeWorker.all[1]?.terminated).toBe(true)
})

it('reports the error of the diagram, and draws the same diagram once', async () => {
  let calls = 0
  FakeWorker.respond = (source) => {
    calls += 1
    return source.includes('bad') ? { problem: 'Parse error' } : { svg: '<svg/>' }
  }
  await expect(drawDiagram('graph TD\n bad', colors)).rejects.toThrow('Parse error')
  await drawDiagram('graph TD\n once', colors)
  await drawDiagram('graph TD\n once', colors)
  expect(calls).toBe(2)
})

it('has no address of another site in what the renderer draws', async () => {
  FakeWorker.respond = (source) => ({ svg: renderMermaidSVG(source, colors) })
  const hostile = [
    'graph TD\n A["<img src=https://evil.example/a>"] --> B\n click A "https://evil.example/b"\n style B fill:url(https://evil.example/c)',
    'classDiagram\n A <|-- B : <script>alert(1)</script>',
  ]
  for (const source of hostile) {
    const svg = await drawDiagram(source, colors)
    expect(svg).not.toMatch(/<script|<img|<foreignObject|@import|href/i)
  }
})
