import { Group as PanelGroup, Panel, Separator } from 'react-resizable-panels'
import { Fragment } from 'react'
import { shortcutOf, type CommandId } from '../platform/commands.ts'
import { saveSizes, useLayout } from '../platform/layout/layoutStore.ts'
import { EditorGroup } from './EditorGroup.tsx'
import './editor.css'
import { useTabs } from '../platform/editor/tabsStore.ts'

const hints: [string, CommandId][] = [
  ['Go to file', 'palette.files'],
  ['Search in files', 'view.search'],
  ['Ask the model', 'chat.focus'],
  ['All commands', 'palette.show'],
]

/** Page with shortcuts, shown while no tab is open. */
function NothingOpen() {
  return (
    <div className="editor-nothing" data-testid="no-editor">
      <img src="./mark.svg" alt="" className="editor-nothing-mark" />
      <dl className="editor-hints">
        {hints.map(([label, id]) => (
          <Fragment key={id}>
            <dt>{label}</dt>
            <dd>
              <kbd className="editor-hint-keys">{shortcutOf(id)}</kbd>
            </dd>
          </Fragment>
        ))}
      </dl>
    </div>
  )
}

/** One editor group, or two side by side. */
export function EditorArea() {
  const { groups, activeGroup } = useTabs()
  const empty = groups.every(({ tabs }) => tabs.length === 0)
  if (empty) return <NothingOpen />
  return (
    <PanelGroup
      orientation="horizontal"
      className="editor-area"
      defaultLayout={useLayout.getState().sizes.editors}
      onLayoutChanged={(sizes) => {
        if (groups.length > 1) saveSizes('editors', sizes)
      }}
    >
      {groups.map((group, index) => (
        <Fragment key={group.id}>
          {index > 0 && <Separator className="workbench-separator" aria-label="Resize editor groups" />}
          <Panel id={`editor-${index}`} minSize={200}>
            <EditorGroup group={group} active={group.id === activeGroup} />
          </Panel>
        </Fragment>
      ))}
    </PanelGroup>
  )
}
