import type { GitBlame } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import type { EditorExtension } from '../platform/editor/editorExtensions.ts'
import { monaco, pathOf } from '../platform/editor/monaco/monaco.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { repositoryOf, useGit } from '../platform/git/gitStore.ts'
import { useLayout } from '../platform/layout/layoutStore.ts'
import { formatAge } from '../platform/formatAge.ts'
import './gutter.css'
import { Delayer } from '../../shared/async/delayer.ts'

/** Milliseconds without typing before the blame is loaded again. */
const settleMs = 800
/** Length above which an unsaved text has no blame, because git would read the whole text after each pause. */
const maxUnsavedLength = 1_000_000

function blameText({ lines, commits }: GitBlame, line: number): string | null {
  const index = lines[line - 1]
  if (index === undefined) return null
  const commit = commits[index]
  return commit ? `${commit.author}, ${formatAge(commit.authoredAt)} • ${commit.subject}` : 'Not committed yet'
}

/** Shows who last changed the cursor's line, dimmed at the end of the line, while the user has turned it on. */
export const lineBlame: EditorExtension = (editor) => {
  const marks = editor.createDecorationsCollection()
  let blame: GitBlame | null = null
  /** The file and version of the loaded blame, so that moving the cursor loads nothing. */
  let loadedFor = ''
  const loading = new Delayer(load)
  let disposed = false

  function show(): void {
    const model = editor.getModel()
    const line = editor.getPosition()?.lineNumber ?? 0
    const text = blame && useLayout.getState().git.blame ? blameText(blame, line) : null
    if (!model || text === null || line > model.getLineCount()) return marks.clear()
    const column = model.getLineMaxColumn(line)
    marks.set([
      {
        range: new monaco.Range(line, column, line, column),
        options: {
          showIfCollapsed: true,
          after: {
            content: `\u2003\u2003${text}`,
            inlineClassName: 'git-blame',
            cursorStops: monaco.editor.InjectedTextCursorStops.None,
          },
        },
      },
    ])
  }

  async function load(): Promise<void> {
    const model = editor.getModel()
    const path = model && pathOf(model.uri)
    const found = path === null ? null : repositoryOf(path)
    const revision = found && useGit.getState().statuses[found.repository.id]?.revision
    if (!model || path === null || !found || revision === undefined || !useLayout.getState().git.blame) {
      blame = null
      loadedFor = ''
      return marks.clear()
    }
    const version = model.getVersionId()
    const wanted = `${path} ${revision} ${version}`
    if (wanted === loadedFor) return
    loadedFor = wanted
    if (documents.get(path)?.dirty && model.getValueLength() > maxUnsavedLength) {
      blame = null
      return marks.clear()
    }
    documents.flush()
    let read: GitBlame | null = null
    try {
      read = await request('git.blame', { repository: found.repository.id, path: found.path })
    } catch {
      // An untracked or binary file has no blame.
    }
    if (disposed || wanted !== loadedFor) return
    blame = read
    show()
  }

  const subscriptions: monaco.IDisposable[] = [
    editor.onDidChangeModel(() => {
      blame = null
      marks.clear()
      loading.restart()
    }),
    editor.onDidChangeCursorPosition(show),
    editor.onDidChangeModelContent(() => {
      // Lines have moved.
      blame = null
      marks.clear()
      loading.restart(settleMs)
    }),
  ]
  const stops = [
    useGit.subscribe(({ statuses }, before) => {
      if (statuses !== before.statuses) loading.restart(settleMs)
    }),
    useLayout.subscribe(({ git }, before) => {
      if (git.blame !== before.git.blame) loading.restart()
    }),
  ]
  loading.start()
  return {
    dispose() {
      disposed = true
      loading.cancel()
      marks.clear()
      for (const subscription of subscriptions) subscription.dispose()
      for (const stop of stops) stop()
    },
  }
}
