import { useEffect, useState } from 'react'
import { Throttler } from '../../shared/async/throttler.ts'
import { request } from '../platform/bridge/bridge.ts'
import { usePreview } from './previewStore.ts'

/** Milliseconds between two looks at a page that changes. */
const treeMs = 1500

/** What the page contains, for screen readers: they cannot read its picture. */
export function PageTree({ frames }: { frames: number }) {
  const [lines, setLines] = useState<readonly string[]>([])
  const [looks] = useState(() => new Throttler())
  const url = usePreview(({ page }) => page.url)
  useEffect(() => {
    if (url === null) return setLines([])
    void looks.queue(async () => {
      // A page that is busy is read later.
      const tree = await request('preview.tree', {}).catch(() => null)
      if (tree !== null) setLines(tree.split('\n').slice(0, 2000))
      await new Promise((resolve) => setTimeout(resolve, treeMs))
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
