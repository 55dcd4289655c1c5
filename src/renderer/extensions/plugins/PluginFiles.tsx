import { useState } from 'react'
import { formatSize } from '../../../shared/text/formatSize.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { request } from '../../platform/bridge/bridge.ts'
import { attempt } from '../../platform/notices.ts'

interface PluginFilesProps {
  name: string
  /** Hash of the installed or offered version. */
  hash: string
}

/** All files of a version of a plug-in, to read before it is trusted. */
export function PluginFiles({ name, hash }: PluginFilesProps) {
  const [files, setFiles] = useState<readonly { path: string; size: number }[]>([])
  const load = () =>
    attempt(
      async () => setFiles(await request('plugins.files', { name, hash })),
      `The files of ${name} could not be listed`,
    )
  return (
    <details className="extension-unused" onToggle={({ currentTarget }) => currentTarget.open && load()}>
      <summary>Read its files</summary>
      {files.map(({ path, size }) => (
        <PluginFile key={path} name={name} hash={hash} path={path} size={size} />
      ))}
    </details>
  )
}

function PluginFile({ name, hash, path, size }: PluginFilesProps & { path: string; size: number }) {
  const [text, setText] = useState<string | null>('')
  const load = () =>
    attempt(
      async () => setText(await request('plugins.readText', { name, hash, path })),
      `${visibleText(path)} could not be read`,
    )
  const label = visibleText(path)
  return (
    <details className="plugin-file" onToggle={({ currentTarget }) => currentTarget.open && load()}>
      <summary>
        {label} <span className="extension-muted">{formatSize(size)}</span>
      </summary>
      {text === null ? (
        <p className="extension-muted">It is binary, larger than 512 KB, or was changed.</p>
      ) : (
        <pre tabIndex={0} aria-label={label}>
          {visibleText(text)}
        </pre>
      )}
    </details>
  )
}
