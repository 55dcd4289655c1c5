import type { monaco } from './monaco.ts'

/**
 * Sets the accessible name of a side of a diff, and again after layout changes, when Monaco's diff editor clears its own
 * options.
 */
export function keepName(side: monaco.editor.ICodeEditor, ariaLabel: string): void {
  const set = () => {
    if (side.getRawOptions().ariaLabel !== ariaLabel) side.updateOptions({ ariaLabel })
  }
  side.onDidChangeConfiguration(set)
  set()
}
