import { useEffect, type ReactNode } from 'react'
import { runCommand } from '../commands.ts'
import { openLocation } from '../editor/openLocation.ts'
import { locateMention, useLinkTargets } from './linkTargets.ts'
import type { PathLocation } from './pathsInText.ts'
import './textLinks.css'

/** What a part of a text may refer to. The file takes precedence if both exist. */
export interface Mention {
  place?: PathLocation | undefined
  /** Name of a symbol, optionally qualified. */
  symbol?: string | undefined
}

/** Renders a mentioned file or symbol as a link if it exists, otherwise as text. */
export function MentionLink({ mention: { place, symbol }, children }: { mention: Mention; children: ReactNode }) {
  const path = place?.path
  const file = useLinkTargets(({ files }) => (path === undefined ? null : files.get(path)))
  const found = useLinkTargets(({ symbols }) => (symbol === undefined ? null : symbols.get(symbol)))
  useEffect(() => {
    if (path !== undefined && file === undefined) locateMention('files', path)
  }, [path, file])
  useEffect(() => {
    if (symbol !== undefined && found === undefined) locateMention('symbols', symbol)
  }, [symbol, found])
  if (file) {
    const { line, column } = place ?? {}
    return (
      <TextLink
        title={`Open ${file}${line === undefined ? '' : `:${line}`}`}
        onOpen={() => openLocation(file, line, column)}
      >
        {children}
      </TextLink>
    )
  }
  if (!found || symbol === undefined) return children
  return found.several ? (
    <TextLink title={`Find ${found.name} in the folder`} onOpen={() => runCommand('symbols.inFolder', found.name)}>
      {children}
    </TextLink>
  ) : (
    <TextLink
      title={`Open ${found.path}:${found.line}`}
      onOpen={() => openLocation(found.path, found.line, found.column)}
    >
      {children}
    </TextLink>
  )
}

function TextLink({ title, onOpen, children }: { title: string; onOpen: () => void; children: ReactNode }) {
  return (
    <button type="button" className="text-link" title={title} onClick={onOpen}>
      {children}
    </button>
  )
}
