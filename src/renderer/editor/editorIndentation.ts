import type { monaco } from '../platform/editor/monaco/monaco.ts'
import { editorConfigOf } from './editorConfigs.ts'

/** Sets the indentation of a text: that of `.editorconfig`, otherwise as in the text, otherwise the setting. */
export function applyIndentation(model: monaco.editor.ITextModel, path: string, tabSize: number): void {
  model.updateOptions({ tabSize })
  model.detectIndentation(true, tabSize)
  void editorConfigOf(path).then(({ indentStyle, indentSize, tabWidth }) => {
    if (model.isDisposed()) return
    // Monaco's tab size is the width of a tab and, with spaces, of a level.
    const columns = indentStyle === 'tab' ? (tabWidth ?? indentSize) : (indentSize ?? tabWidth)
    model.updateOptions({
      ...(indentStyle !== undefined && { insertSpaces: indentStyle === 'space' }),
      ...(columns !== undefined && { tabSize: columns, indentSize: columns }),
    })
  })
}
