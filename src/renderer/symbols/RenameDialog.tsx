import { useState } from 'react'
import type { RenameFile, RenameOccurrence, RenamePlan } from '../../shared/language/symbolRename.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { ReplacedText } from '../ui/diff/ReplacedText.tsx'
import { Button, Dialog, Icon } from '../ui/index.ts'
import { formatNumber } from '../../shared/text/formatNumber.ts'
import { plural } from '../../shared/text/plural.ts'
import { occurrenceKey, useRename, type RenameSelection } from './renameStore.ts'
import './rename.css'

/** Renders the preview that `previewRename()` opens. */
export function RenameDialog() {
  const pending = useRename((state) => state.pending)
  return pending && <Preview key={`${pending.plan.name}>${pending.plan.newName}`} {...pending} />
}

/** Dialog with the occurrences by file. Initially, all except uncertain ones (same name only) are selected. */
function Preview({ plan, answer }: { plan: RenamePlan; answer: (chosen: RenameSelection) => void }) {
  const { name, newName, files, taken, moreMentions } = plan
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(files.flatMap((file) => keysOf(file, ({ kind }) => kind !== 'mention'))),
  )
  const chosenFiles = files.filter((file) => keysOf(file).some((key) => chosen.has(key)))

  function tick(keys: readonly string[], on: boolean): void {
    const next = new Set(chosen)
    for (const key of keys) {
      if (on) next.add(key)
      else next.delete(key)
    }
    setChosen(next)
  }

  return (
    <Dialog
      title={`Rename ${name} to ${newName}`}
      width={720}
      onClose={() => answer(null)}
      footer={
        <>
          <span className="rename-total" role="status">
            {`${plural(chosen.size, 'occurrence')} in ${plural(chosenFiles.length, 'file')}`}
          </span>
          <Button onClick={() => answer(null)}>Cancel</Button>
          <Button variant="primary" data-autofocus disabled={chosen.size === 0} onClick={() => answer(chosen)}>
            Rename
          </Button>
        </>
      }
    >
      {taken.length > 0 && (
        <p className="rename-note">
          <Icon name="warning" />
          {taken.length > 3
            ? `"${newName}" is already used in these files: ${taken.slice(0, 3).map(visibleText).join(', ')}, and ${formatNumber(taken.length - 3)} more.`
            : `"${newName}" is already used in these files: ${taken.map(visibleText).join(', ')}.`}
        </p>
      )}
      <div className="rename-files">
        {files.map((file) => (
          <FileSection key={file.path} file={file} name={name} chosen={chosen} tick={tick} />
        ))}
      </div>
      {moreMentions > 0 && (
        <p className="rename-note">{`${plural(moreMentions, 'more mention')} of the name not listed.`}</p>
      )}
    </Dialog>
  )
}

interface FileSectionProps {
  file: RenameFile
  name: string
  chosen: ReadonlySet<string>
  tick: (keys: readonly string[], on: boolean) => void
}

function FileSection({ file, name, chosen, tick }: FileSectionProps) {
  const keys = keysOf(file)
  const ticked = keys.filter((key) => chosen.has(key)).length
  return (
    <fieldset className="rename-file">
      <legend>
        <label>
          <input
            type="checkbox"
            checked={ticked === keys.length}
            ref={(input) => {
              if (input) input.indeterminate = ticked > 0 && ticked < keys.length
            }}
            onChange={() => tick(keys, ticked < keys.length)}
          />
          {visibleText(file.path)}
        </label>
      </legend>
      {file.occurrences.map((occurrence) => {
        const key = occurrenceKey(file.path, occurrence)
        return (
          <label key={key} className="rename-place" data-kind={occurrence.kind}>
            <input type="checkbox" checked={chosen.has(key)} onChange={(event) => tick([key], event.target.checked)} />
            <span className="rename-line">{occurrence.line}</span>
            <Line occurrence={occurrence} name={name} />
            {occurrence.kind === 'mention' && <span className="ui-badge">same name only</span>}
          </label>
        )
      })}
    </fieldset>
  )
}

/** A line of code with the old name struck through and the new name after it. */
function Line({ occurrence, name }: { occurrence: RenameOccurrence; name: string }) {
  const { lineText, column, replacement, replaced = name } = occurrence
  const start = column - 1
  const before = lineText.slice(0, start).trimStart()
  return (
    <code className="rename-text">
      {visibleText(before)}
      <ReplacedText before={replaced} after={replacement} />
      {visibleText(lineText.slice(start + replaced.length))}
    </code>
  )
}

function keysOf(
  { path, occurrences }: RenameFile,
  which: (occurrence: RenameOccurrence) => boolean = () => true,
): string[] {
  return occurrences.filter(which).map((occurrence) => occurrenceKey(path, occurrence))
}
