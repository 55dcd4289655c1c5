import { useEffect, useState } from 'react'
import { request } from '../platform/bridge/bridge.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { attempt } from '../platform/notices.ts'
import { Button } from '../ui/index.ts'
import { changeFilter, useLog, type LogFilter } from './logStore.ts'

/** Milliseconds without typing before the log is read again. */
const typingDelayMs = 250

const fields = [
  ['text', 'Message or hash'],
  ['author', 'Author'],
  ['path', 'File or folder'],
] as const satisfies readonly (readonly [keyof LogFilter, string])[]

/** Search fields of the log, and the choice of branches. */
export function LogFilters() {
  const repository = useLog((state) => state.repository?.id)
  const filter = useLog((state) => state.filter)
  async function chooseRef(): Promise<void> {
    if (repository === undefined) return
    const { local, remote, tags } = await request('git.references', { repository })
    const choice = await quickPick({
      title: 'Commits to show',
      items: [
        { id: 'all', label: 'All branches and tags', icon: 'git-branch', current: filter.all && filter.ref === null },
        { id: 'head', label: 'Current branch', icon: 'git-commit', current: !filter.all && filter.ref === null },
        ...local.map(({ name }) => ({
          id: `ref:${name}`,
          label: name,
          icon: 'git-branch',
          current: filter.ref === name,
        })),
        ...remote.map(({ name }) => ({ id: `ref:${name}`, label: name, icon: 'cloud', current: filter.ref === name })),
        ...tags.map(({ name }) => ({ id: `ref:${name}`, label: name, icon: 'tag', current: filter.ref === name })),
      ],
    })
    if (choice) changeFilter({ all: choice.id === 'all', ref: choice.id.startsWith('ref:') ? choice.label : null })
  }
  return (
    <div className="git-log-filters" role="search" aria-label="Filter commits">
      <Button size="small" icon="git-branch" onClick={() => attempt(chooseRef)}>
        <span className="git-row-grow">{filter.ref ?? (filter.all ? 'All branches' : 'Current branch')}</span>
      </Button>
      {fields.map(([field, label]) => (
        <FilterField key={field} field={field} label={label} />
      ))}
    </div>
  )
}

function FilterField({ field, label }: { field: 'text' | 'author' | 'path'; label: string }) {
  const value = useLog((state) => state.filter[field])
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => changeFilter({ [field]: typed }), typingDelayMs)
    return () => clearTimeout(timer)
  }, [field, typed, value])
  return (
    <input
      className="ui-input"
      type="search"
      aria-label={label}
      placeholder={label}
      value={typed}
      spellCheck={false}
      onChange={(event) => setTyped(event.target.value)}
    />
  )
}
