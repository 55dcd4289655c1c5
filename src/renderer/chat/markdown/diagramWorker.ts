import { renderMermaidSVG } from 'beautiful-mermaid'
import type { DiagramColors } from './diagramColors.ts'

// The layout engine of the renderer listens to the messages of a worker itself, unless there is a document.
Object.defineProperty(self, 'document', { value: {} })
// The renderer assigns it, which the accessor of a worker refuses.
Object.defineProperty(self, 'self', { value: self, writable: true, configurable: true })

// Draws a diagram in a worker, because the layout of a large one takes seconds. There is no page in a worker that a
// hostile diagram could change.
self.onmessage = ({ data }: MessageEvent<{ source: string; colors: DiagramColors }>) => {
  try {
    self.postMessage({ svg: renderMermaidSVG(data.source, data.colors) })
  } catch (error) {
    self.postMessage({ problem: error instanceof Error ? error.message : String(error) })
  }
}
