import type { FileVersion, VersionSource } from '../../shared/files/localHistory.ts'

export const versionIcons: Readonly<Record<VersionSource, string>> = {
  saved: 'save',
  agent: 'hubot',
  external: 'link-external',
  restored: 'discard',
  deleted: 'trash',
  earlier: 'history',
  checkpoint: 'milestone',
}

/** Label of a version in lists. */
export function versionLabel({ source, detail }: Pick<FileVersion, 'source' | 'detail'>): string {
  switch (source) {
    case 'saved':
      return 'Saved'
    case 'agent':
      return detail === undefined ? 'Agent' : `Agent: ${detail}`
    case 'external':
      return 'Changed outside Tizona'
    case 'restored':
      return 'Restored'
    case 'deleted':
      return detail === undefined ? 'Deleted' : `Deleted by agent: ${detail}`
    case 'earlier':
      return 'Earlier version'
    case 'checkpoint':
      return detail === undefined ? 'Checkpoint' : `Checkpoint: ${detail}`
  }
}
