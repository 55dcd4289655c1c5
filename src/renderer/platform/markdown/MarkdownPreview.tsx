import { formatSize } from '../../../shared/text/formatSize.ts'
import type { FileViewProps } from '../editor/fileViews.tsx'
import { useFileText } from '../editor/documents/useFileText.ts'
import { EmptyState, Spinner } from '../../ui/index.ts'
import { Markdown } from './Markdown.tsx'
import { MarkdownFile } from './markdownFile.ts'

/** Maximum length of the rendered text, in UTF-16 units. */
const maxText = 512 * 1024

/**
 * Preview of a Markdown file. Follows unsaved text and keeps its scroll position. Shows raw HTML as text, and does not
 * load images from the web.
 */
export function MarkdownPreview({ path }: FileViewProps) {
  const { text, failure } = useFileText(path)
  if (text === null && failure)
    return (
      <EmptyState icon="error" title="The preview could not be shown">
        {failure.message}
      </EmptyState>
    )
  if (text === null) return <Spinner label="Opening" />
  const name = path.slice(path.lastIndexOf('/') + 1)
  return (
    <div className="markdown-preview" tabIndex={0} role="region" aria-label={`Preview of ${name}`}>
      {failure && (
        <p role="status">{failure.code === 'not_found' ? 'The file was deleted from disk.' : failure.message}</p>
      )}
      {text.length > maxText && <p role="status">{`Only the first ${formatSize(maxText)} are shown.`}</p>}
      {text.trim() === '' ? (
        <EmptyState icon="markdown" title="The file is empty">
          The preview follows what you type.
        </EmptyState>
      ) : (
        <MarkdownFile value={path}>
          <Markdown text={text.slice(0, maxText)} streaming={false} />
        </MarkdownFile>
      )}
    </div>
  )
}
