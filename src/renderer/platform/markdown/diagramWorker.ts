import { renderMermaidSVG } from 'beautiful-mermaid'
import type { DiagramColors } from './diagramColors.ts'

// Without a document, the renderer's layout engine would listen to the worker's messages itself.
Object.defineProperty(self, 'document', { value: {} })
// The renderer assigns `self`, which a worker's accessor rejects.
Object.defineProperty(self, 'self', { value: self, writable: true, configurable: true })

// Draws diagrams in a worker, because laying out a large one takes seconds, and a worker has no page that a hostile
// diagram could change.
self.onmessage = ({ data }: MessageEvent<{ source: string; colors: DiagramColors }>) => {
  try {
    self.postMessage({ svg: renderMermaidSVG(data.source, data.colors) })
  } catch (error) {
    self.postMessage({ problem: error instanceof Error ? error.message : String(error) })
  }
}
