import { useEffect, useRef, useState } from 'react'
import { settingsForLanguage, vsCodeLanguage } from '../../shared/settings/languageBlocks.ts'
import { toFailure, type Failure } from '../../shared/errors.ts'
import type { FileViewProps } from '../platform/editor/fileViews.tsx'
import { libraryModel, useLibraryTargets } from '../platform/editor/documents/libraryFiles.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'
import { useEditorSettings } from '../platform/editor/editorSettings.ts'
import { EmptyState, Icon, Spinner } from '../ui/index.ts'
import { editorOptions } from '../platform/editor/editorOptions.ts'
import { recordVisit } from './navigationHistory.ts'
import './editor.css'

/** Shows a library file outside the folder, read-only. `path`: id and name of the file, see `openLibraryFile`. */
export function LibraryFileView({ path: tabPath }: FileViewProps) {
  const settings = useEditorSettings()
  const host = useRef<HTMLDivElement>(null)
  const [file, setFile] = useState<{ path: string; editor: monaco.editor.IStandaloneCodeEditor } | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const target = useLibraryTargets((targets) => targets[tabPath])
  const id = tabPath.slice(0, tabPath.indexOf('/'))

  useEffect(() => {
    let editor: monaco.editor.IStandaloneCodeEditor | undefined
    let closed = false
    if (!settings) return
    libraryModel(id).then(
      ({ path, model }) => {
        if (closed || !host.current) return
        editor = monaco.editor.create(host.current, {
          ...editorOptions(settingsForLanguage(settings, vsCodeLanguage(model.getLanguageId(), path))),
          model,
          readOnly: true,
          readOnlyMessage: { value: 'This file belongs to a library outside the folder and is read-only.' },
          ariaLabel: `${path}, library file, read-only`,
        })
        setFile({ path, editor })
      },
      (error: unknown) => {
        if (!closed) setFailure(toFailure(error))
      },
    )
    return () => {
      closed = true
      setFile(null)
      editor?.dispose()
    }
  }, [id, settings])

  useEffect(() => {
    if (!file || !target) return
    const { line, column } = target.position
    const position = file.editor.getModel()?.validatePosition({ lineNumber: line, column }) ?? {
      lineNumber: 1,
      column: 1,
    }
    file.editor.setPosition(position)
    file.editor.revealPositionInCenter(position)
    file.editor.focus()
    recordVisit({ path: target.path, line: position.lineNumber, column: position.column, library: target.id })
    useLibraryTargets.setState(({ [tabPath]: _shown, ...others }) => others, true)
  }, [file, target, tabPath])

  if (failure)
    return (
      <EmptyState icon="error" title="The library file could not be shown">
        {failure.message} {failure.next}
      </EmptyState>
    )
  return (
    <>
      <div className="editor-bars">
        <div className="editor-bar" role="status" data-level="info">
          <Icon name="lock" />
          <span className="editor-bar-text" title={file?.path}>
            {file
              ? `Library file outside this folder (read-only): ${file.path}`
              : 'Library file outside this folder (read-only)'}
          </span>
        </div>
      </div>
      {!file && <Spinner label="Opening" />}
      <div ref={host} className="editor-monaco monaco-component" />
    </>
  )
}
