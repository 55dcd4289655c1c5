import type { ReactNode } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import type { monaco } from '../monaco/monaco.ts'
import './hunks.css'

/** Height of a bar including its shadow, in pixels. */
export const hunkBarHeight = 32
/** Space between a bar and the right edge of the text, in pixels. */
const margin = 12

let nextId = 1

/** The action bar of a hunk, on the right of its editor. */
export class HunkBarWidget {
  readonly #editor: monaco.editor.ICodeEditor
  readonly #element = document.createElement('div')
  readonly #widget: monaco.editor.IOverlayWidget
  #root: Root | null = null

  constructor(editor: monaco.editor.ICodeEditor) {
    this.#editor = editor
    this.#element.className = 'hunk-bar-place'
    const id = `tizona.hunkBar.${nextId++}`
    this.#widget = { getId: () => id, getDomNode: () => this.#element, getPosition: () => null }
    editor.addOverlayWidget(this.#widget)
  }

  /** @param top distance from the top of the editor in pixels; a bar outside the editor is hidden */
  place(top: number): void {
    const { width, height, minimap, verticalScrollbarWidth } = this.#editor.getLayoutInfo()
    const right = minimap.minimapWidth + verticalScrollbarWidth + margin
    this.#element.hidden = top < -hunkBarHeight || top > height
    this.#element.style.transform = `translateY(${top}px)`
    this.#element.style.right = `${right}px`
    this.#element.style.maxWidth = `${width - right - margin}px`
  }

  render(content: ReactNode): void {
    this.#root ??= createRoot(this.#element)
    this.#root.render(content)
  }

  dispose(): void {
    if (this.#element.contains(document.activeElement)) this.#editor.focus()
    this.#editor.removeOverlayWidget(this.#widget)
    const root = this.#root
    // React must not unmount a root while it renders.
    queueMicrotask(() => root?.unmount())
  }
}

/** Frame of a bar. @param label accessible name, for example "Change 1 of 3" */
export function HunkBar({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      className="hunk-bar"
      role="toolbar"
      aria-label={label}
      // Otherwise Monaco would move the cursor and take the focus.
      onMouseDown={(event) => event.stopPropagation()}
      // Otherwise Monaco would run its shortcuts.
      onKeyDown={(event) => event.stopPropagation()}
    >
      {children}
    </div>
  )
}
