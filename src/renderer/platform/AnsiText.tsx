import { useMemo, type CSSProperties, type ReactNode } from 'react'
import { parseAnsi, type AnsiColor, type AnsiSpan, type AnsiStyle } from './ansiText.ts'

const colorTokens: Record<AnsiColor, string> = {
  black: 'var(--color-text-faint)',
  red: 'var(--color-danger)',
  green: 'var(--color-success)',
  yellow: 'var(--color-warning)',
  blue: 'var(--color-info)',
  magenta: 'var(--color-syntax-keyword)',
  cyan: 'var(--color-syntax-type)',
  white: 'var(--color-text-strong)',
}

function cssOf({ color, bold, dim, italic, underline }: AnsiStyle): CSSProperties {
  return {
    ...(color !== undefined && { color: colorTokens[color] }),
    ...(dim === true && color === undefined && { color: 'var(--color-text-muted)' }),
    ...(bold === true && { fontWeight: 'var(--weight-bold)' }),
    ...(italic === true && { fontStyle: 'italic' }),
    ...(underline === true && { textDecoration: 'underline' }),
  }
}

interface AnsiTextProps {
  text: string
  /** Style at the start. */
  style?: AnsiStyle
  /** Renders the text of a span. Default: as it is. @param start its offset in the text without escape sequences */
  render?: (text: string, start: number) => ReactNode
}

/** Text with the colors and styles of its escape sequences. */
export function AnsiText({ text, style, render = (span) => span }: AnsiTextProps) {
  const spans = useMemo(() => placed(parseAnsi(text, style).spans), [text, style])
  return spans.map((span, index) => (
    <span key={index} style={cssOf(span.style)}>
      {render(span.text, span.start)}
    </span>
  ))
}

/** Adds the offsets of spans. */
function placed(spans: readonly AnsiSpan[]): (AnsiSpan & { start: number })[] {
  let end = 0
  return spans.map((span) => {
    const start = end
    end += span.text.length
    return { ...span, start }
  })
}
