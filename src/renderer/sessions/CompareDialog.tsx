import { useEffect, useState } from 'react'
import { toFailure, ToolError } from '../../shared/errors.ts'
import type { SessionDiff, SessionFileDiff, SessionSummary } from '../../shared/git/sessionRequests.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { Button, Dialog, Spinner } from '../ui/index.ts'
import { DiffCounts } from '../ui/diff/DiffCounts.tsx'
import { DiffHunks } from '../ui/diff/DiffExcerpt.tsx'
import { showComparison, useCompare, type Side } from './compareStore.ts'
import { takeOver } from './worktreeActions.ts'
import './compare.css'

interface Compared {
  session: Side
  diff: SessionDiff
}

const close = () => useCompare.setState({ sides: null })

/**
 * Asks for another session of the repository, and shows what both have changed beside each other.
 * @throws ToolError `not_found` if there is no other one
 */
export async function compareSession(session: SessionSummary): Promise<void> {
  const others = (await request('sessions.list', {})).filter(({ id, state }) => id !== session.id && state === 'ready')
  if (others.length === 0)
    throw new ToolError(
      'not_found',
      'There is no other session in a worktree of this repository.',
      'Create one with "New session in a worktree", or several with "Try several times".',
    )
  const choice = await quickPick({
    title: `Compare "${session.name}" with`,
    items: others.map(({ id, name, changed }) => ({
      id,
      label: name,
      description: plural(changed.length, 'changed file'),
      icon: 'git-branch',
    })),
  })
  const other = others.find(({ id }) => id === choice?.id)
  if (other) showComparison(session, other)
}

/** Dialog that `compareSession()` and `showComparison()` open. */
export function CompareDialog() {
  const sides = useCompare((state) => state.sides)
  return sides && <OpenDialog key={sides.map(({ id }) => id).join(' ')} sides={sides} />
}

function OpenDialog({ sides }: { sides: readonly [Side, Side] }) {
  const [compared, setCompared] = useState<readonly Compared[] | null>(null)
  const [failure, setFailure] = useState('')
  useEffect(() => {
    let isShown = true
    Promise.all(
      sides.map(async (session) => ({ session, diff: await request('sessions.changes', { id: session.id }) })),
    ).then(
      (loaded) => isShown && setCompared(loaded),
      (error: unknown) => isShown && setFailure(toFailure(error).message),
    )
    return () => {
      isShown = false
    }
  }, [sides])
  const paths = [...new Set(compared?.flatMap(({ diff }) => diff.files.map(({ path }) => path)))].toSorted()
  return (
    <Dialog
      title={`"${sides[0].name}" and "${sides[1].name}"`}
      width={1280}
      onClose={close}
      footer={<Button onClick={close}>Close</Button>}
    >
      {failure !== '' && <p role="alert">{visibleText(failure)}</p>}
      {compared === null ? (
        failure === '' && <Spinner label="Loading changes" />
      ) : (
        <div className="compare">
          <div className="compare-row compare-head">
            {compared.map((side) => (
              <SideHeader key={side.session.id} {...side} />
            ))}
          </div>
          {paths.length === 0 && <p>Neither session has changed a file.</p>}
          {paths.map((path) => (
            <FileRow key={path} path={path} compared={compared} />
          ))}
        </div>
      )}
    </Dialog>
  )
}

function SideHeader({ session, diff }: Compared) {
  const sum = (of: 'added' | 'removed') => diff.files.reduce((total, file) => total + file[of], 0)
  return (
    <div className="compare-side">
      <strong>{session.name}</strong>
      <span className="compare-branch">{session.branch}</span>
      <span>{plural(diff.files.length, 'file')}</span>
      <DiffCounts added={sum('added')} removed={sum('removed')} />
      <Button
        size="small"
        disabled={diff.files.length === 0}
        onClick={() => {
          close()
          attempt(() => takeOver(session), 'Nothing was taken over')
        }}
      >
        Take over…
      </Button>
    </div>
  )
}

/** A file of one session or of both. */
function FileRow({ path, compared }: { path: string; compared: readonly Compared[] }) {
  const files = compared.map(({ diff }) => diff.files.find((file) => file.path === path))
  const [one, other] = files
  const isSame = one !== undefined && other !== undefined && JSON.stringify(one.hunks) === JSON.stringify(other.hunks)
  return (
    <section className="compare-file" aria-label={visibleText(path)}>
      <h3 className="compare-path">
        <span>
          <bdi>{visibleText(path)}</bdi>
          {isSame && one.hunks.length > 0 && <span className="ui-badge">Same change</span>}
        </span>
      </h3>
      <div className="compare-row">
        {files.map((file, index) => (
          <div key={compared[index]?.session.id} className="compare-cell">
            <FileChange file={file} session={compared[index]?.session.name ?? ''} />
          </div>
        ))}
      </div>
    </section>
  )
}

function FileChange({ file, session }: { file: SessionFileDiff | undefined; session: string }) {
  if (file === undefined) return <p className="compare-note">Not changed</p>
  if (file.hunks.length > 0)
    return <DiffHunks hunks={file.hunks} label={`Changes of ${visibleText(file.path)} in ${session}`} />
  return (
    <p className="compare-note">
      {file.change === 'deleted'
        ? 'Deleted'
        : file.binary
          ? 'Binary file'
          : 'Too large to show, or only its properties changed'}
    </p>
  )
}
