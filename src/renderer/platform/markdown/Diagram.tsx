import { useContext, useEffect, useState } from 'react'
import { CopyButton } from '../CopyButton.tsx'
import { useTheme } from '../theme/theme.ts'
import { Icon, IconButton } from '../../ui/index.ts'
import { CodeBlock } from './CodeBlock.tsx'
import type { DiagramColors } from './diagramColors.ts'
import { MarkdownFile } from './markdownFile.ts'
import { truncate } from '../../../shared/text/truncate.ts'

function themeColors(): DiagramColors {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string) => style.getPropertyValue(`--color-${name}`).trim()
  return {
    bg: token('editor'),
    fg: token('text'),
    line: token('text-muted'),
    accent: token('accent'),
    muted: token('text-muted'),
    surface: token('surface'),
    border: token('border-strong'),
  }
}

type Drawing = { source: string; url: string } | { source: string; problem: string }

/** Draws the source, and again when the theme changes. Returns null until then. */
function useDrawing(source: string): Drawing | null {
  const { theme, imported } = useTheme()
  const [drawing, setDrawing] = useState<Drawing | null>(null)
  useEffect(() => {
    let cancelled = false
    const show = (result: Drawing) => {
      if (!cancelled) setDrawing(result)
    }
    import('./diagrams.ts')
      .then(async ({ drawDiagram }) => drawDiagram(source, themeColors()))
      .then(
        // As an image, so that the diagram cannot run scripts or load anything.
        (svg) => show({ source, url: `data:image/svg+xml,${encodeURIComponent(svg)}` }),
        (error: unknown) => show({ source, problem: error instanceof Error ? error.message : String(error) }),
      )
    return () => {
      cancelled = true
    }
  }, [source, theme, imported])
  return drawing?.source === source ? drawing : null
}

/** A Mermaid diagram. Shows its source until it is drawn, or with the reason if it cannot be drawn. */
export function Diagram({ source }: { source: string }) {
  const drawing = useDrawing(source)
  const [broken, setBroken] = useState('')
  const [showsSource, setShowsSource] = useState(false)
  const [actualSize, setActualSize] = useState(false)
  const inFile = useContext(MarkdownFile) !== null
  if (drawing === null) return <CodeBlock language="mermaid" code={source} />
  const url = 'url' in drawing ? drawing.url : ''
  const problem = 'problem' in drawing ? drawing.problem : broken === url ? 'The diagram could not be shown.' : null
  if (problem !== null)
    return (
      <>
        <CodeBlock language="mermaid" code={source} />
        <p className="markdown-diagram-problem" role="status">
          <Icon name="warning" />
          {problem}
        </p>
      </>
    )
  return (
    <figure className="code-block" data-language="mermaid" aria-label="Diagram">
      <figcaption className="code-block-bar">
        <span className="code-block-language">mermaid</span>
        <IconButton
          icon="code"
          label={showsSource ? 'Show diagram' : 'Show source'}
          onClick={() => setShowsSource(!showsSource)}
        />
        <IconButton
          icon={actualSize ? 'screen-normal' : 'screen-full'}
          label={actualSize ? 'Fit width' : 'Show at actual size'}
          disabled={showsSource}
          onClick={() => setActualSize(!actualSize)}
        />
        <CopyButton text={source} label="Copy code" />
      </figcaption>
      {showsSource ? (
        <pre tabIndex={0}>
          <code>{source}</code>
        </pre>
      ) : (
        <div
          className={`markdown-diagram ${actualSize ? 'markdown-diagram-actual' : ''}`}
          tabIndex={0}
          role="region"
          aria-label={inFile ? 'Diagram in the file' : 'Diagram in the message'}
        >
          <img src={url} alt={`Diagram: ${firstLines(source)}`} onError={() => setBroken(url)} />
        </div>
      )}
    </figure>
  )
}

/** The beginning of the source, as text for people who cannot see the diagram. The button shows all of it. */
function firstLines(source: string): string {
  const text = source.trim().replaceAll(/\s+/g, ' ')
  return truncate(text, 200)
}
