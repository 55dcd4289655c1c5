import { useEffect, useState } from 'react'
import type { TakeOverConflict } from '../../shared/git/sessionRequests.ts'
import { plural } from '../../shared/text/plural.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { confirm } from '../platform/confirm.ts'
import { ConflictEditor } from '../platform/editor/conflict/ConflictEditor.tsx'
import { monaco } from '../platform/editor/monaco/monaco.ts'

interface MergeEditorProps {
  conflict: TakeOverConflict & { texts: NonNullable<TakeOverConflict['texts']> }
  /** Text to go on with. */
  draft: string
  onDraft: (text: string) => void
  /** Called with the resolution. */
  onResolved: (text: string) => void
}

/** The conflict editor of a file that cannot be taken over. Its result is a draft: no file changes. */
export function MergeEditor({ conflict, draft, onDraft, onResolved }: MergeEditorProps) {
  const { path, texts } = conflict
  const [model, setModel] = useState<monaco.editor.ITextModel | null>(null)
  useEffect(() => {
    // The scheme keeps language servers and inline completion away.
    const uri = monaco.Uri.from({ scheme: 'take-over', path: `/${path}` })
    const created = monaco.editor.createModel(draft, undefined, uri)
    const subscription = created.onDidChangeContent(() =>
      onDraft(created.getValue(monaco.editor.EndOfLinePreference.LF, true)),
    )
    setModel(created)
    return () => {
      subscription.dispose()
      created.dispose()
    }
    // The model has the draft from then on.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [path])

  async function resolve(left: number): Promise<void> {
    if (model === null) return
    const text = model.getValue(monaco.editor.EndOfLinePreference.LF, true)
    const answer =
      left === 0
        ? 'use'
        : await confirm({
            title: `Use a text with ${plural(left, 'conflict')}?`,
            message: `${visibleText(path)} would have conflict markers.`,
            choices: [{ id: 'use', label: 'Use it anyway', variant: 'danger' }],
          })
    if (answer !== null) onResolved(text)
  }

  return (
    <div className="take-over-merge">
      {model && (
        <ConflictEditor
          path={path}
          ours={texts.here}
          theirs={texts.now}
          model={model}
          resolve={{ label: 'Use this result', run: (left) => void resolve(left) }}
        />
      )}
    </div>
  )
}
