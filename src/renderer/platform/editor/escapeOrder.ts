/** Widgets of Monaco that Escape closes before ours. */
const widgetsBefore = [
  'suggestWidgetVisible',
  'findWidgetVisible',
  'parameterHintsVisible',
  'renameInputVisible',
  'referenceSearchVisible',
  'inlineSuggestionVisible',
  'inSnippetMode',
  'editorHasMultipleSelections',
]

/** Context of a key binding for Escape in the text: no widget of Monaco is open that the key closes first. */
export const escapeIsFree = widgetsBefore.map((name) => `!${name}`).join(' && ')
