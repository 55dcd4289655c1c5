import type { FileProblems, Problem, ProblemSeverity } from '../../shared/language/languageServers.ts'
import { monaco, pathOf, uriOf } from '../platform/editor/monaco/monaco.ts'
import { storeEditorProblems, useLanguages } from '../platform/languages/languageStore.ts'

const owner = 'language-server'

const severities = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  info: monaco.MarkerSeverity.Info,
  hint: monaco.MarkerSeverity.Hint,
}

function marker({
  range,
  severity,
  message,
  source,
  code,
  codeUrl,
  tags,
  related,
}: Problem): monaco.editor.IMarkerData {
  return {
    startLineNumber: range.startLine,
    startColumn: range.startColumn,
    endLineNumber: range.endLine,
    endColumn: range.endColumn,
    severity: severities[severity],
    message,
    ...(source !== '' && { source }),
    ...(code !== '' && { code: codeUrl === undefined ? code : { value: code, target: monaco.Uri.parse(codeUrl) } }),
    relatedInformation: related.map((place) => ({
      resource: uriOf(place.path),
      message: place.message,
      startLineNumber: place.range.startLine,
      startColumn: place.range.startColumn,
      endLineNumber: place.range.endLine,
      endColumn: place.range.endColumn,
    })),
    tags: tags.map((tag) => (tag === 'deprecated' ? monaco.MarkerTag.Deprecated : monaco.MarkerTag.Unnecessary)),
  }
}

function show(model: monaco.editor.ITextModel, file: FileProblems | undefined): void {
  monaco.editor.setModelMarkers(model, owner, (file?.problems ?? []).map(marker))
}

const severityNames = new Map<monaco.MarkerSeverity, ProblemSeverity>([
  [monaco.MarkerSeverity.Error, 'error'],
  [monaco.MarkerSeverity.Warning, 'warning'],
  [monaco.MarkerSeverity.Info, 'info'],
])

function problemOf(found: monaco.editor.IMarker): Problem[] {
  const severity = severityNames.get(found.severity)
  if (severity === undefined || found.owner === owner) return []
  const { startLineNumber, startColumn, endLineNumber, endColumn, message, source = '', code = '' } = found
  return [
    {
      range: { startLine: startLineNumber, startColumn, endLine: endLineNumber, endColumn },
      severity,
      message,
      source,
      code: typeof code === 'string' ? code : code.value,
      tags: [],
      related: [],
    },
  ]
}

/** Passes problems that Monaco itself finds in open files to the problems view. */
function followEditorProblems(): void {
  monaco.editor.onDidChangeMarkers((uris) => {
    for (const uri of uris) {
      const path = pathOf(uri)
      const problems = path === null ? [] : monaco.editor.getModelMarkers({ resource: uri }).flatMap(problemOf)
      if (path !== null) storeEditorProblems({ path, problems, more: 0 })
    }
  })
}

/** Shows language servers' problems as squiggles in open files. */
export function showMarkers(): void {
  const showFor = (model: monaco.editor.ITextModel): void => {
    const path = pathOf(model.uri)
    if (path !== null) show(model, useLanguages.getState().problems[path])
  }
  followEditorProblems()
  monaco.editor.onDidCreateModel(showFor)
  for (const model of monaco.editor.getModels()) showFor(model)
  useLanguages.subscribe(({ problems }, before) => {
    if (problems === before.problems) return
    for (const model of monaco.editor.getModels()) {
      const path = pathOf(model.uri)
      if (path !== null && problems[path] !== before.problems[path]) show(model, problems[path])
    }
  })
}
