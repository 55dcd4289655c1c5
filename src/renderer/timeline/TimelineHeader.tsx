import { toggleTimeline } from '../platform/layout/layoutStore.ts'
import { SectionHeader } from '../ui/index.ts'

export function TimelineHeader({ open }: { open: boolean }) {
  return <SectionHeader title="Timeline" open={open} controls="timeline-view" onToggle={toggleTimeline} />
}
