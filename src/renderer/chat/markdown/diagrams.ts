import { startWorker } from '../../platform/editor/monaco/monacoWorkers.ts'
import type { DiagramColors } from './diagramColors.ts'
import diagramWorkerUrl from './diagramWorker.ts?worker&url'

/** Maximum length of a diagram's source in UTF-16 units. */
const maxSource = 20_000
/** Maximum length of the drawn diagram in UTF-16 units. */
const maxSvg = 4_000_000
/** Time limit of a drawing in milliseconds. */
const timeLimit = 10_000
/** Milliseconds after which an idle worker ends. */
const idleLimit = 30_000
const maxCached = 50

/** Mermaid diagram types that cannot be drawn. */
const unsupported =
  /^(?:architecture|block|C4|gantt|gitGraph|journey|kanban|mindmap|packet|pie|quadrantChart|radar|requirement|sankey|timeline|treemap|zenuml)/i

/** Removes front matter and comments, which the renderer does not support. */
export function diagramText(source: string): string {
  const lines = source.trim().split('\n')
  const end = lines[0]?.trim() === '---' ? lines.findIndex((line, index) => index > 0 && line.trim() === '---') : -1
  return lines
    .slice(end + 1)
    .filter((line) => !line.trimStart().startsWith('%%'))
    .join('\n')
    .trim()
}

/** Returns why a diagram cannot be drawn, without trying; null if it may be possible. */
export function problemOf(text: string): string | null {
  if (text === '') return 'The diagram is empty.'
  if (text.length > maxSource) return 'The diagram is too large to draw.'
  const kind = unsupported.exec(text)?.[0]
  if (kind === undefined) return null
  return `Diagrams of type "${kind}" are not supported. Use a flowchart, or a state, sequence, class, entity relationship or XY chart.`
}

/** Removes the web fonts that the renderer imports. An image would not load them anyway. */
function withoutImports(svg: string): string {
  return svg
    .split('\n')
    .filter((line) => !line.trimStart().startsWith('@import url('))
    .join('\n')
}

interface Job {
  source: string
  colors: DiagramColors
  resolve(svg: string): void
  reject(error: Error): void
}

const queue: Job[] = []
const drawn = new Map<string, string>()
let worker: Worker | null = null
let current: Job | null = null
let timer: ReturnType<typeof setTimeout> | undefined

function stopWorker(): void {
  worker?.terminate()
  worker = null
}

function finish(settle: (job: Job) => void): void {
  clearTimeout(timer)
  const job = current
  current = null
  if (job) settle(job)
  next()
}

function onMessage({ data }: MessageEvent<{ svg?: string; problem?: string }>): void {
  finish((job) => {
    if (data.svg === undefined) job.reject(new Error(data.problem || 'The diagram could not be drawn.'))
    else if (data.svg.length > maxSvg) job.reject(new Error('The diagram is too large to show.'))
    else job.resolve(withoutImports(data.svg))
  })
}

function fail(message: string): void {
  stopWorker()
  finish((job) => job.reject(new Error(message)))
}

/** Starts the next drawing. One at a time, so that a text with many diagrams uses only one core. */
function next(): void {
  if (current !== null) return
  current = queue.shift() ?? null
  if (current === null) {
    timer = setTimeout(stopWorker, idleLimit)
    return
  }
  clearTimeout(timer)
  if (worker === null) {
    worker = startWorker(diagramWorkerUrl, 'diagrams')
    worker.onmessage = onMessage
    worker.onerror = ({ message }) => fail(message || 'The diagram renderer could not be loaded.')
  }
  timer = setTimeout(() => fail('The diagram took too long to draw.'), timeLimit)
  worker.postMessage({ source: current.source, colors: current.colors })
}

/** Draws a Mermaid diagram as SVG, in a worker with a time limit. @throws Error with a message for the user */
export async function drawDiagram(source: string, colors: DiagramColors): Promise<string> {
  const text = diagramText(source)
  const problem = problemOf(text)
  if (problem !== null) throw new Error(problem)
  const key = JSON.stringify([text, colors])
  const known = drawn.get(key)
  if (known !== undefined) return known
  const svg = await new Promise<string>((resolve, reject) => {
    queue.push({ source: text, colors, resolve, reject })
    next()
  })
  drawn.set(key, svg)
  for (const oldest of drawn.keys()) if (drawn.size > maxCached) drawn.delete(oldest)
  return svg
}
