import { memo, useMemo, useState } from 'react'
import { joinLines } from '../../shared/notebook/notebook.ts'
import type { CellOutput } from '../../shared/notebook/outputs.ts'
import { formatSize } from '../../shared/text/formatSize.ts'
import { AnsiText } from '../platform/AnsiText.tsx'
import { lazyView } from '../platform/layout/lazyView.tsx'
import { Button } from '../ui/index.ts'
import { HtmlOutput } from './HtmlOutput.tsx'

const Markdown = lazyView(async () => (await import('../platform/markdown/Markdown.tsx')).Markdown, null)

/** Characters of an output that are shown at first. */
const shownText = 20_000
/** Characters of HTML that a frame gets. */
const maxHtml = 2_000_000

/** Media types that are shown, best first. */
const types = [
  'text/html',
  'image/svg+xml',
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'text/markdown',
  'text/latex',
  'application/json',
  'text/plain',
] as const

/** An output of a cell. Main has not checked it: it comes from a file or a program. */
export const OutputView = memo(function OutputView({ output }: { output: CellOutput }) {
  switch (output.output_type) {
    case 'stream':
      return (
        <OutputText text={output.text} label={output.name === 'stderr' ? 'Errors' : 'Output'} stream={output.name} />
      )
    case 'error': {
      const text = output.traceback.length > 0 ? output.traceback.join('\n') : `${output.ename}: ${output.evalue}`
      return <OutputText text={text} label="Error" stream="error" />
    }
    default:
      return <DataOutput data={output.data} />
  }
})

function DataOutput({ data }: { data: Record<string, unknown> }) {
  const type = types.find((each) => data[each] !== undefined && !isOnlyScript(each, data))
  if (type === undefined)
    return (
      <p className="notebook-note">{`This output has no form that Tizona shows: ${Object.keys(data).join(', ') || 'it is empty'}.`}</p>
    )
  const text = joinLines(data[type])
  if (type === 'application/json') return <OutputText text={JSON.stringify(data[type], null, 2) ?? ''} label="JSON" />
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
    case 'text/latex':
    case 'text/plain':
      return <OutputText text={text} label="Result" />
    default:
      return <Picture url={`data:${type};base64,${text.replaceAll(/\s/g, '')}`} data={data} />
  }
}

/** Whether HTML shows nothing without its scripts, and there is text instead. */
const isOnlyScript = (type: string, data: Record<string, unknown>): boolean =>
  type === 'text/html' &&
  data['text/plain'] !== undefined &&
  /<script/i.test(joinLines(data[type])?.slice(0, maxHtml) ?? '') &&
  !/<(?:table|img|svg|p|h[1-6])\b/i.test(joinLines(data[type])?.slice(0, maxHtml) ?? '')

/** A picture. As an image, SVG runs no scripts and loads nothing. */
function Picture({ url, data }: { url: string; data: Record<string, unknown> }) {
  const [failed, setFailed] = useState(false)
  const alt = joinLines(data['text/plain']) ?? 'Picture'
  if (failed) return <p className="notebook-note">The picture could not be shown.</p>
  return <img className="notebook-picture" src={url} alt={alt.slice(0, 200)} onError={() => setFailed(true)} />
}

interface OutputTextProps {
  text: string
  label: string
  stream?: string
}

/** Text with the colors of terminals. A long one is cut until the user asks for all of it. */
function OutputText({ text, label, stream }: OutputTextProps) {
  const [whole, setWhole] = useState(false)
  const isLong = text.length > shownText
  const shown = useMemo(() => (whole || !isLong ? text : text.slice(0, shownText)), [text, whole, isLong])
  return (
    <>
      {/* Keyboards scroll it. */}
      <pre className="notebook-text" data-stream={stream} tabIndex={0} role="group" aria-label={label}>
        <AnsiText text={shown} />
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
