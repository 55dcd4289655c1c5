import { useEffect, useState } from 'react'
import type { FileFacts, OfferedVersion, PluginChange, PluginInfo } from '../../../shared/plugins/plugins.ts'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { plural } from '../../../shared/text/plural.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { openDiff } from '../../platform/editor/editorService.ts'
import { attempt } from '../../platform/notices.ts'
import { DiffExcerpt } from '../../ui/diff/DiffExcerpt.tsx'
import { Button, Spinner } from '../../ui/index.ts'
import { PluginFiles } from './PluginFiles.tsx'
import { PluginParts } from './PluginParts.tsx'

/** The offered version of a plug-in, file by file, to accept or dismiss. */
export function PluginUpdate({ plugin, offered }: { plugin: PluginInfo; offered: OfferedVersion }) {
  const { name } = plugin
  const { hash, contents, source } = offered
  const [changes, setChanges] = useState<readonly PluginChange[] | null>(null)
  useEffect(
    () =>
      attempt(
        async () => setChanges(await request('plugins.changes', { name, hash })),
        'The versions could not be compared',
      ),
    [name, hash],
  )
  const from = source.kind === 'folder' ? source.path : source.name
  return (
    <section className="plugin-update" aria-label={`Update of ${name}`}>
      <h3 className="plugin-kind">
        {contents.version === '' ? 'Update' : `Update to ${contents.version}`}
        <span className="extension-muted">{` from ${visibleText(from)}`}</span>
      </h3>
      <p className="extensions-text">
        {plugin.state === 'trusted'
          ? 'The installed version keeps working until you accept. Accepting trusts the new files.'
          : 'The installed version stays until you accept. The new one is not trusted either.'}
      </p>
      <div className="extension-actions">
        <Button
          size="small"
          variant="primary"
          disabled={changes === null}
          aria-label={`Accept update of ${name}`}
          onClick={() => attempt(() => request('plugins.accept', { name, hash }), 'The update was not accepted')}
        >
          Accept update
        </Button>
        <Button
          size="small"
          aria-label={`Dismiss update of ${name}`}
          onClick={() => attempt(() => request('plugins.dismiss', { name, hash }), 'The update was not dismissed')}
        >
          Dismiss
        </Button>
      </div>
      {changes === null && <Spinner label="Comparing versions" />}
      {changes && <p className="extension-muted">{plural(changes.length, 'changed file')}</p>}
      <div className="diff">
        {changes?.map((change) => (
          <FileChange key={change.path} plugin={name} change={change} />
        ))}
      </div>
      <details className="extension-unused">
        <summary>All parts of the new version</summary>
        <PluginParts name={name} contents={contents} />
      </details>
      <PluginFiles name={name} hash={hash} />
    </section>
  )
}

function FileChange({ plugin, change }: { plugin: string; change: PluginChange }) {
  const { path, before, after, text } = change
  if (!text)
    return (
      <div className="plugin-binary">
        {visibleText(path)}
        <span className="extension-muted">{` ${factsText(before)} → ${factsText(after)}, no text to compare`}</span>
      </div>
    )
  return (
    <>
      {text.endingsDiffer && (
        <div className="plugin-binary">
          {visibleText(path)}
          <span className="extension-muted"> Its line endings or byte order mark change.</span>
        </div>
      )}
      {text.diff.diff !== '' && (
        <DiffExcerpt
          file={text.diff}
          diff={text.diff}
          onOpenDiff={() =>
            openDiff({
              path: `${plugin}/${path}`,
              title: `${path} (installed ↔ update)`,
              original: text.before,
              modified: text.after,
            })
          }
        />
      )}
    </>
  )
}

const factsText = (facts: FileFacts | null) =>
  facts ? `${formatSize(facts.size)}, SHA-256 ${facts.hash.slice(0, 16)}` : 'missing'
