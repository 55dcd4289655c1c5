import type { GitRef } from '../../shared/git/git.ts'
import { Icon } from '../ui/index.ts'

const refIcons: Record<GitRef['kind'], string> = {
  branch: 'git-branch',
  remote: 'cloud',
  tag: 'tag',
  stash: 'archive',
  other: 'bookmark',
}

export function RefBadge({ gitRef: { kind, name, head } }: { gitRef: GitRef }) {
  return (
    <span className="git-ref" data-kind={kind} data-head={head} title={name}>
      <Icon name={refIcons[kind]} />
      <span className="git-ref-name">{name}</span>
    </span>
  )
}
