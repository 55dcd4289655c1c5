import { Group, Panel, Separator } from 'react-resizable-panels'
import { Explorer } from '../explorer/Explorer.tsx'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { useStoredPanelSize } from '../platform/layout/useStoredPanelSize.ts'
import { Outline, OutlineHeader } from '../symbols/Outline.tsx'
import { TimelineHeader } from '../timeline/TimelineHeader.tsx'
import { LazyTimeline } from './lazyViews.tsx'

/** The explorer view: the file tree with the collapsible sections outline and timeline below. */
export function ExplorerView() {
  const outline = useLayout((layout) => layout.outline.open)
  const timeline = useLayout((layout) => layout.timeline.open)
  const outlineSize = useStoredPanelSize('outline', 240)
  const timelineSize = useStoredPanelSize('timeline', 160)
  const foldedOutline = (
    <div className="explorer-fold">
      <OutlineHeader open={false} />
    </div>
  )
  return (
    <div className="explorer-view">
      <div className="explorer-view-parts">
        <Group
          orientation="vertical"
          onLayoutChanged={(_shares, change) => {
            outlineSize.saveSize(change)
            timelineSize.saveSize(change)
          }}
        >
          <Panel id="files" minSize={100}>
            <Explorer />
          </Panel>
          {outline && <Separator className="workbench-separator" aria-label="Resize outline" />}
          {outline && (
            <Panel {...outlineSize.panel} minSize={80}>
              <Outline />
            </Panel>
          )}
          {timeline && <Separator className="workbench-separator" aria-label="Resize timeline" />}
          {timeline && (
            <Panel {...timelineSize.panel} minSize={80}>
              <div className="explorer-folds">
                {!outline && foldedOutline}
                <LazyTimeline />
              </div>
            </Panel>
          )}
        </Group>
      </div>
      {!outline && !timeline && foldedOutline}
      {!timeline && (
        <div className="explorer-fold">
          <TimelineHeader open={false} />
        </div>
      )}
    </div>
  )
}
