import { useContext, type ReactNode } from 'react'
import { runCommand } from '../commands.ts'
import { insertAtCursor } from '../editor/editorService.ts'
import { IconButton } from '../../ui/index.ts'
import { CopyButton } from '../CopyButton.tsx'
import { MarkdownFile } from './markdownFile.ts'

interface CodeBlockProps {
  language: string
  code: string
  /** Highlighted code. Defaults to `code` as plain text. */
  children?: ReactNode
}

/**
 * A code block with a copy button. In answers, it also has buttons that apply it to the open file and insert it at the
 * cursor.
 */
export function CodeBlock({ language, code, children }: CodeBlockProps) {
  const inFile = useContext(MarkdownFile) !== null
  return (
    <figure className="code-block" data-language={language} aria-label={language ? `Code, ${language}` : 'Code'}>
      <figcaption className="code-block-bar">
        <span className="code-block-language">{language || 'text'}</span>
        <CopyButton text={code} label="Copy code" />
        {!inFile && (
          <>
            <IconButton
              icon="diff"
              label="Apply in editor"
              onClick={() => runCommand('inlineEdit.apply', { code, language })}
            />
            <IconButton icon="insert" label="Insert at cursor" onClick={() => insertAtCursor(code)} />
          </>
        )}
      </figcaption>
      {/* WCAG requires scrollable regions to be focusable. */}
      <pre tabIndex={0}>
        <code>{children ?? code}</code>
      </pre>
    </figure>
  )
}
