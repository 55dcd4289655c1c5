import { Group, Panel, Separator } from 'react-resizable-panels'
import { Explorer } from '../explorer/Explorer.tsx'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { useStoredPanelSize } from '../platform/layout/useStoredPanelSize.ts'
import { Outline, OutlineHeader } from '../symbols/Outline.tsx'

/** The explorer view: the file tree with the collapsible outline below. */
export function ExplorerView() {
  const open = useLayout(({ outline }) => outline.open)
  const { panel, saveSize } = useStoredPanelSize('outline', 240)
  return (
    <div className="explorer-view">
      <div className="explorer-view-parts">
        <Group orientation="vertical" onLayoutChanged={(_shares, change) => saveSize(change)}>
          <Panel id="files" minSize={100}>
            <Explorer />
          </Panel>
          {open && <Separator className="workbench-separator" aria-label="Resize outline" />}
          {open && (
            <Panel {...panel} minSize={80}>
              <Outline />
            </Panel>
          )}
        </Group>
      </div>
      {!open && (
        <div className="outline-fold">
          <OutlineHeader open={false} />
        </div>
      )}
    </div>
  )
}
