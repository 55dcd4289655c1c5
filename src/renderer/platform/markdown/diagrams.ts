import { startWorker } from '../editor/monaco/monacoWorkers.ts'
import type { DiagramColors } from './diagramColors.ts'
import diagramWorkerUrl from './diagramWorker.ts?worker&url'
import { Delayer } from '../../../shared/async/delayer.ts'
import { raceTimeout } from '../../../shared/async/raceTimeout.ts'
import { Sequencer } from '../../../shared/async/sequencer.ts'

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

/** Returns why a diagram cannot be drawn, if that is known without drawing it; otherwise null. */
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

const drawn = new Map<string, string>()
/** The worker, while it is used or waits for more diagrams. */
const renderer = { worker: null as Worker | null }
const stopIdle = new Delayer(stopWorker, idleLimit)

function stopWorker(): void {
  renderer.worker?.terminate()
  renderer.worker = null
}

/** Draws in the worker, or ends it if that fails or takes too long. */
async function draw(source: string, colors: DiagramColors): Promise<string> {
  stopIdle.cancel()
  const { promise, resolve, reject } = Promise.withResolvers<{ svg?: string; problem?: string }>()
  const worker = (renderer.worker ??= startWorker(diagramWorkerUrl, 'diagrams'))
  worker.onmessage = ({ data }: MessageEvent<{ svg?: string; problem?: string }>) => resolve(data)
  worker.onerror = ({ message }) => reject(new Error(message || 'The diagram renderer could not be loaded.'))
  worker.postMessage({ source, colors })
  const answer = await raceTimeout(promise, timeLimit).catch((error: unknown) => {
    stopWorker()
    throw error
  })
  if (!answer) {
    stopWorker()
    throw new Error('The diagram took too long to draw.')
  }
  stopIdle.start()
  if (answer.svg === undefined) throw new Error(answer.problem || 'The diagram could not be drawn.')
  if (answer.svg.length > maxSvg) throw new Error('The diagram is too large to show.')
  return withoutImports(answer.svg)
}

/** One drawing at a time, so that a text with many diagrams uses only one core. */
const drawings = new Sequencer()

/** Draws a Mermaid diagram as SVG, in a worker with a time limit. @throws Error with a message for the user */
export async function drawDiagram(source: string, colors: DiagramColors): Promise<string> {
  const text = diagramText(source)
  const problem = problemOf(text)
  if (problem !== null) throw new Error(problem)
  const key = JSON.stringify([text, colors])
  const known = drawn.get(key)
  if (known !== undefined) return known
  const svg = await drawings.queue(() => draw(text, colors))
  drawn.set(key, svg)
  for (const oldest of drawn.keys()) if (drawn.size > maxCached) drawn.delete(oldest)
  return svg
}
