import { useEffect, useState } from 'react'
import { Throttler } from '../../shared/async/throttler.ts'
import { request } from '../platform/bridge/bridge.ts'
import { Button } from '../ui/index.ts'
import { usePreview } from './previewStore.ts'

/** Milliseconds between two looks at a page that changes. */
const treeMs = 1500
/** A look takes at most a tenth of the time: it goes through the whole page. */
const treeShare = 10

/** What the page contains, for screen readers: they cannot read its picture. It is read when they ask for it. */
export function PageTree({ frames, reading, onToggle }: { frames: number; reading: boolean; onToggle: () => void }) {
  return (
    <>
      <Button className="web-preview-read" aria-pressed={reading} size="small" onClick={onToggle}>
        Read the page as text
      </Button>
      {reading && <TreeLines frames={frames} />}
    </>
  )
}

function TreeLines({ frames }: { frames: number }) {
  const [lines, setLines] = useState<readonly string[]>([])
  const [looks] = useState(() => new Throttler())
  const url = usePreview(({ page }) => page.url)
  useEffect(() => {
    if (url === null) return setLines([])
    void looks.queue(async () => {
      const begin = performance.now()
      // A page that is busy is read later.
      const tree = await request('preview.tree', {}).catch(() => null)
      if (tree !== null) setLines(tree.split('\n').slice(0, 2000))
      const pause = Math.max(treeMs, treeShare * (performance.now() - begin))
      await new Promise((resolve) => setTimeout(resolve, pause))
    })
    return undefined
  }, [looks, url, frames])
  return (
    <ul className="visually-hidden" aria-label="Content of the page">
      {lines.map((line, index) => (
        // The lines have no identity.
        <li key={index}>{line.trim().replace(/^- /, '')}</li>
      ))}
    </ul>
  )
}
