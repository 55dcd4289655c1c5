import { useMemo, type ReactNode } from 'react'
import { VisibleCode } from '../../ui/index.ts'
import { MentionLink } from './MentionLink.tsx'
import { pathsInText } from './pathsInText.ts'

/** Maximum number of links in a text. */
const maxLinks = 200

/** Renders text like `VisibleCode`, with links to the workspace files that it mentions. */
export function LinkedCode({ text }: { text: string }) {
  const places = useMemo(() => pathsInText(text, maxLinks), [text])
  const parts: ReactNode[] = []
  let at = 0
  for (const { start, end, ...place } of places) {
    if (start > at) parts.push(<VisibleCode key={at} text={text.slice(at, start)} />)
    parts.push(
      <MentionLink key={start} mention={{ place }}>
        <VisibleCode text={text.slice(start, end)} />
      </MentionLink>,
    )
    at = end
  }
  if (at < text.length || text === '') parts.push(<VisibleCode key={at} text={text.slice(at)} />)
  return parts
}
