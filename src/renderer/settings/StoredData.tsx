import { useEffect, useState } from 'react'
import { formatSize } from '../../shared/text/formatSize.ts'
import { plural } from '../../shared/text/plural.ts'
import type { HistorySettings } from '../../shared/settings/settings.ts'
import { deletesNothing, type CleanUpSummary, type StorageSizes } from '../../shared/files/storage.ts'
import { request } from '../platform/bridge/bridge.ts'
import { confirm } from '../platform/confirm.ts'
import { attempt, notify } from '../platform/notices.ts'
import { Button, Spinner } from '../ui/index.ts'

/** Sizes of stored data, and a clean-up that shows beforehand what it will delete. */
export function StoredData({ history }: { history: HistorySettings }) {
  const [sizes, setSizes] = useState<StorageSizes | null>(null)
  const [working, setWorking] = useState(false)
  const load = async () => setSizes(await request('storage.sizes', {}))
  useEffect(() => attempt(load, 'The storage sizes could not be loaded'), [])
  const isUnlimited = history.maxAgeDays === null && history.maxMegabytes === null

  async function cleanUp(): Promise<void> {
    setWorking(true)
    try {
      const plan = await request('storage.planCleanUp', {})
      if (deletesNothing(plan)) {
        notify('info', 'Nothing exceeds the limits, so nothing was deleted.')
      } else if ((await confirmCleanUp(plan)) === 'delete') {
        const deleted = await request('storage.cleanUp', {})
        notify('info', `Deleted ${linesOf(deleted).join(', ')}.`)
        await load()
      }
    } finally {
      setWorking(false)
    }
  }

  return (
    <>
      {sizes ? <Sizes sizes={sizes} /> : <Spinner label="Loading storage sizes" />}
      <div className="endpoints-actions">
        <Button
          disabled={isUnlimited || working}
          title={isUnlimited ? 'Set a limit first.' : undefined}
          onClick={() => attempt(cleanUp, 'The clean-up failed')}
        >
          Clean up now…
        </Button>
        {isUnlimited && <span className="settings-text">Set a limit first.</span>}
      </div>
    </>
  )
}

function Sizes({ sizes }: { sizes: StorageSizes }) {
  const rows = [
    {
      label: 'Conversations',
      text: plural(sizes.conversations.count, 'conversation'),
      bytes: sizes.conversations.bytes,
    },
    { label: 'Checkpoints', text: plural(sizes.checkpoints.count, 'checkpoint'), bytes: sizes.checkpoints.bytes },
    { label: 'Code index', text: plural(sizes.codeIndex.count, 'folder'), bytes: sizes.codeIndex.bytes },
    { label: 'Unsaved backups', text: plural(sizes.unsaved.count, 'file'), bytes: sizes.unsaved.bytes },
  ]
  return (
    <table className="settings-sizes" aria-label="Stored data">
      <tbody>
        {rows.map(({ label, text, bytes }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td>{text}</td>
            <td>{formatSize(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function confirmCleanUp(plan: CleanUpSummary): Promise<'delete' | null> {
  const kept = plan.sharedFilesKept
    ? ' Checkpoint and code index files are kept for now, because another Tizona process is running.'
    : ''
  return confirm({
    title: 'Clean up stored data',
    message: `The following data exceeds the limits and will be deleted. This cannot be undone.${kept}`,
    items: linesOf(plan),
    choices: [{ id: 'delete', label: 'Delete', variant: 'danger' }],
  })
}

function linesOf({ conversations, checkpoints, codeIndex }: CleanUpSummary): string[] {
  return [
    conversations.count > 0
      ? `${plural(conversations.count, 'conversation')} (${formatSize(conversations.bytes)})`
      : '',
    checkpoints > 0 ? plural(checkpoints, 'checkpoint') : '',
    codeIndex.count > 0
      ? `${plural(codeIndex.count, 'code index', 'code indexes')} (${formatSize(codeIndex.bytes)})`
      : '',
  ].filter((line) => line !== '')
}
