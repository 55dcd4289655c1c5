import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { FileVersion } from '../../shared/files/localHistory.ts'
import { formatAge, formatDate } from '../platform/formatAge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Icon, Menu, VirtualList, type MenuAnchor, type MenuGroup } from '../ui/index.ts'
import './timeline.css'
import { followActiveFile, loadVersions, useTimeline } from './timelineStore.ts'
import { compareWithCurrent, compareWithPrevious, copyContent, restoreContent } from './versionActions.ts'
import { TimelineHeader } from './TimelineHeader.tsx'
import { versionIcons, versionLabel } from './versionTexts.ts'

const rowHeight = 22
const none: readonly FileVersion[] = []

function menuOf(path: string, versions: readonly FileVersion[], version: FileVersion): MenuGroup[] {
  // The list may have been loaded again.
  const index = versions.findIndex(({ id }) => id === version.id)
  const previous = index < 0 ? undefined : versions[index + 1]
  return [
    {
      items: [
        {
          id: 'compare-current',
          label: 'Compare with current',
          run: () => attempt(() => compareWithCurrent(path, version)),
        },
        {
          id: 'compare-previous',
          label: 'Compare with previous',
          disabled: previous === undefined,
          run: () => previous && attempt(() => compareWithPrevious(path, previous, version)),
        },
      ],
    },
    {
      items: [
        { id: 'restore', label: 'Restore content', run: () => attempt(() => restoreContent(path, version)) },
        { id: 'copy', label: 'Copy content', run: () => attempt(() => copyContent(path, version)) },
      ],
    },
  ]
}

/** The stored versions of the active file. Enter or a click compares one with the current text. */
export function Timeline() {
  const { path, versions: loaded, failure, chosen } = useTimeline()
  useEffect(followActiveFile, [])
  const versions = loaded ?? none
  const [menu, setMenu] = useState<{ anchor: MenuAnchor; version: FileVersion } | null>(null)
  const list = useRef<HTMLDivElement>(null)
  const active = versions.findIndex(({ id }) => id === chosen)
  const choose = (version: FileVersion | undefined) => version && useTimeline.setState({ chosen: version.id })
  const compare = (version: FileVersion) => path !== null && attempt(() => compareWithCurrent(path, version))

  function onKeyDown(event: KeyboardEvent): void {
    const version = versions[active]
    const go = (index: number) => choose(versions[Math.max(0, Math.min(versions.length - 1, index))])
    if (event.key === 'ArrowDown') go(active + 1)
    else if (event.key === 'ArrowUp') go(active < 0 ? versions.length - 1 : active - 1)
    else if (event.key === 'Home') go(0)
    else if (event.key === 'End') go(versions.length - 1)
    else if (event.key === 'Enter' && version) compare(version)
    else if (version && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) {
      const element = document.getElementById(`version-${version.id}`) ?? list.current
      if (element) setMenu({ anchor: { element }, version })
    } else return
    event.preventDefault()
  }

  const text =
    path === null
      ? 'Open a file to see its versions here.'
      : loaded?.length === 0
        ? 'There are no versions of this file yet. They are stored when you, the agent or another program change it.'
        : null
  return (
    <section className="timeline" id="timeline-view" aria-label="Timeline">
      <TimelineHeader open />
      {failure ? (
        <div className="timeline-note" role="alert">
          {failure.message}
          <Button variant="ghost" icon="refresh" onClick={() => attempt(loadVersions)}>
            Try again
          </Button>
        </div>
      ) : text !== null ? (
        <div className="timeline-note">{text}</div>
      ) : (
        <VirtualList
          ref={list}
          id="timeline-list"
          className="timeline-list"
          role="listbox"
          aria-label="Versions"
          tabIndex={0}
          aria-activedescendant={active < 0 ? undefined : `version-${chosen}`}
          items={versions}
          rowHeight={rowHeight}
          activeIndex={active}
          keyOf={({ id }) => id}
          onKeyDown={onKeyDown}
          renderRow={(version) => (
            <div
              id={`version-${version.id}`}
              role="option"
              aria-selected={version.id === chosen}
              className="timeline-row"
              title={`${versionLabel(version)}\n${formatDate(version.at)}`}
              onClick={() => {
                choose(version)
                compare(version)
              }}
              onContextMenu={(event) => {
                event.preventDefault()
                choose(version)
                setMenu({ anchor: { x: event.clientX, y: event.clientY }, version })
              }}
            >
              <Icon name={versionIcons[version.source]} />
              <span className="timeline-label">{versionLabel(version)}</span>
              <span className="timeline-age">{formatAge(version.at)}</span>
            </div>
          )}
        />
      )}
      {menu && path !== null && (
        <Menu
          groups={menuOf(path, versions, menu.version)}
          anchor={menu.anchor}
          label="Version actions"
          onClose={() => setMenu(null)}
        />
      )}
    </section>
  )
}
