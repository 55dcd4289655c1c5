import { memo, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { useStore } from 'zustand'
import { joinLines } from '../../shared/notebook/notebook.ts'
import type { CellOutput } from '../../shared/notebook/outputs.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { AnsiText } from '../platform/AnsiText.tsx'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { Button } from '../ui/index.ts'
import { HtmlOutput } from './HtmlOutput.tsx'
import type { CellMatch } from './notebookFind.ts'
import type { NotebookSession } from './notebookSession.ts'
import { maxHtml, outputText, plainText, shownType, type OutputText } from './outputText.ts'

const Markdown = lazyView(async () => (await import('../platform/markdown/Markdown.tsx')).Markdown, null)

/** Characters of an output that are shown at first. */
const shownText = 20_000
/** An output of a cell. Main has not checked it: it comes from a file or a program. */
export const OutputView = memo(function OutputView({ output, ...place }: { output: CellOutput } & OutputPlace) {
  const text = useMemo(() => outputText(output), [output])
  if (text) return <OutputTextView {...text} {...place} />
  return 'data' in output ? <DataOutput data={output.data} /> : null
})

/** Where an output is, for what the find bar finds in it. */
interface OutputPlace {
  session: NotebookSession
  cellKey: string
  /** Position in the stored outputs of the cell; -1 for outputs that are not stored yet, which are not searched. */
  index: number
}

function DataOutput({ data }: { data: Record<string, unknown> }) {
  const type = shownType(data)
  if (type === undefined)
    return (
      <p className="notebook-note">{`This output has no form that Tizona shows: ${Object.keys(data).join(', ') || 'it is empty'}.`}</p>
    )
  const text = joinLines(data[type])
  if (text === null) return <p className="notebook-note">{`The output of type ${type} is not text.`}</p>
  switch (type) {
    case 'text/html':
      return <HtmlOutput html={text.slice(0, maxHtml)} />
    case 'text/markdown':
      return (
        <div className="notebook-markdown">
          <Markdown text={text} streaming={false} />
        </div>
      )
    case 'image/svg+xml':
      return <Picture url={`data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`} data={data} />
    default:
      return <Picture url={`data:${type};base64,${text.replaceAll(/\s/g, '')}`} data={data} />
  }
}

/** A picture. As an image, SVG runs no scripts and loads nothing. */
function Picture({ url, data }: { url: string; data: Record<string, unknown> }) {
  const [failed, setFailed] = useState(false)
  const alt = joinLines(data['text/plain']) ?? 'Picture'
  if (failed) return <p className="notebook-note">The picture could not be shown.</p>
  return <img className="notebook-picture" src={url} alt={alt.slice(0, 200)} onError={() => setFailed(true)} />
}

/** Text with the colors of terminals. A long one is cut until the user asks for all of it, or something is found in it. */
function OutputTextView({ text, label, stream, session, cellKey, index }: OutputText & OutputPlace) {
  const [whole, setWhole] = useState(false)
  const isLong = text.length > shownText
  const shown = useMemo(() => (whole || !isLong ? text : text.slice(0, shownText)), [text, whole, isLong])
  const element = useRef<HTMLPreElement>(null)
  const { matches, current, revealed } = useFound(session, cellKey, index)
  // Escape sequences have no characters in matches.
  const isBeyond = current !== undefined && shown !== text && current.end > plainText(shown).length
  if (isBeyond) setWhole(true)
  useEffect(() => {
    if (!revealed || isBeyond) return undefined
    // After the cell was scrolled to, which may be higher than the visible part.
    const frame = requestAnimationFrame(() => {
      session.store.setState({ revealed: null })
      element.current?.querySelector('mark[data-current]')?.scrollIntoView({ block: 'center', inline: 'nearest' })
    })
    return () => cancelAnimationFrame(frame)
  }, [revealed, isBeyond, session])
  return (
    <>
      {/* Keyboards scroll it. */}
      <pre ref={element} className="notebook-text" data-stream={stream} tabIndex={0} role="group" aria-label={label}>
        {matches.length === 0 ? (
          <AnsiText text={shown} />
        ) : (
          <AnsiText text={shown} render={(span, start) => marked(span, start, matches, current)} />
        )}
      </pre>
      {isLong && !whole && (
        <p className="notebook-note">
          {`The first ${formatSize(shownText)} of ${formatSize(text.length)} are shown. `}
          <Button size="small" onClick={() => setWhole(true)}>
            Show all
          </Button>
        </p>
      )}
    </>
  )
}

const noMatches: readonly CellMatch[] = []

/** Returns the matches in an output, and the one to scroll to. */
function useFound({ store }: NotebookSession, cellKey: string, index: number) {
  const isOwn = (match: CellMatch | null | undefined): boolean => match?.key === cellKey && match.output === index
  const all = useStore(store, ({ find }) => find?.matches ?? noMatches)
  const current = useStore(store, ({ find }) => (isOwn(find?.current) ? find?.current : undefined))
  const revealed = useStore(store, (state) => isOwn(state.revealed))
  // oxlint-disable-next-line react/exhaustive-deps -- `isOwn` changes with these.
  const matches = useMemo(() => (all.length === 0 ? noMatches : all.filter(isOwn)), [all, cellKey, index])
  return { matches, current, revealed }
}

/** Marks the parts of a span that matches cover. @param start offset of the span in its text */
function marked(span: string, start: number, matches: readonly CellMatch[], current: CellMatch | undefined): ReactNode {
  const parts: ReactNode[] = []
  let at = 0
  for (const match of matches) {
    const [from, to] = [Math.max(at, match.start - start), Math.min(span.length, match.end - start)]
    if (from >= to) continue
    parts.push(
      span.slice(at, from),
      <mark key={match.start} data-current={match === current || undefined}>
        {span.slice(from, to)}
      </mark>,
    )
    at = to
  }
  return [...parts, span.slice(at)]
}
