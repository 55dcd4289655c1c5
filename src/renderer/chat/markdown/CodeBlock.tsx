import type { ReactNode } from 'react'
import { insertAtCursor } from '../../platform/editor/editorService.ts'
import { IconButton } from '../../ui/index.ts'
import { CopyButton } from '../../platform/CopyButton.tsx'

interface CodeBlockProps {
  language: string
  code: string
  /** Highlighted code. `code` is shown as plain text without it. */
  children?: ReactNode
}

export function CodeBlock({ language, code, children }: CodeBlockProps) {
  return (
    <figure className="code-block" aria-label={language ? `Code, ${language}` : 'Code'}>
      <figcaption className="code-block-bar">
        <span className="code-block-language">{language || 'text'}</span>
        <CopyButton text={code} label="Copy code" />
        <IconButton icon="insert" label="Insert at cursor" onClick={() => insertAtCursor(code)} />
      </figcaption>
      {/* Scrollable, so it must be focusable. */}
      <pre tabIndex={0}>
        <code>{children ?? code}</code>
      </pre>
    </figure>
  )
}
