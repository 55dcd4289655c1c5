/** Monaco widgets that Escape closes before ours. */
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

/** When-clause for Escape in the editor: true if no Monaco widget would close first. */
export const escapeIsFree = widgetsBefore.map((name) => `!${name}`).join(' && ')
