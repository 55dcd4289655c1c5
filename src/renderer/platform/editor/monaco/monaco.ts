import { workspaceFileExtension } from '../../../../shared/files/workspaceFolders.ts'
import * as monaco from 'monaco-editor'
import './monacoWorkers.ts'
import { useTheme } from '../../theme/theme.ts'
import './monacoSizes.css'
import { monacoTheme } from './monacoTheme.ts'
import { textMateTheme } from './textMateTheme.ts'
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { IContextViewService } from 'monaco-editor/platform/contextview/browser/contextView'
import { raceTimeout } from '../../../../shared/async/raceTimeout.ts'

for (const defaults of [monaco.typescript.typescriptDefaults, monaco.typescript.javascriptDefaults]) {
  // The worker knows only open files and would report every other import as an error.
  defaults.setDiagnosticsOptions({
    noSemanticValidation: true,
    noSyntaxValidation: false,
    noSuggestionDiagnostics: true,
  })
  defaults.setCompilerOptions({
    target: monaco.typescript.ScriptTarget.ESNext,
    module: monaco.typescript.ModuleKind.ESNext,
    moduleResolution: monaco.typescript.ModuleResolutionKind.NodeJs,
    jsx: monaco.typescript.JsxEmit.ReactJSX,
    allowJs: true,
    allowNonTsExtensions: true,
    esModuleInterop: true,
    strict: true,
  })
  defaults.setEagerModelSync(true)
}

showMenusInPage()

function applyTheme(): void {
  const { theme, imported } = useTheme.getState()
  monaco.editor.defineTheme('tizona', {
    ...monacoTheme(theme, imported?.colors),
    // Colors of TextMate grammars, which tokens name by number.
    encodedTokensColors: textMateTheme(imported).colors.slice(1),
  })
  monaco.editor.setTheme('tizona')
}
applyTheme()
useTheme.subscribe(applyTheme)

/**
 * Returns the URI of a file's model. It contains the workspace-relative path, so that language services see names and
 * folders.
 */
export function uriOf(path: string): monaco.Uri {
  return monaco.Uri.from({ scheme: 'file', path: `/${path}` })
}

/** Returns the workspace-relative path of a model; null for models that are not files. */
export function pathOf(uri: monaco.Uri): string | null {
  return uri.scheme === 'file' ? uri.path.slice(1) : null
}

/** Maximum milliseconds for which opening a file waits for the editor font. */
const fontWaitMs = 2000

/**
 * Waits for the editor font, because Monaco measures it only once. If the font loads after the timeout, Monaco measures
 * it again.
 */
export async function editorFontReady(): Promise<void> {
  const loaded = document.fonts.load("13px 'JetBrains Mono Variable'").then(
    () => monaco.editor.remeasureFonts(),
    // Without this font, Monaco uses the next one in the list.
    () => undefined,
  )
  await raceTimeout(loaded, fontWaitMs)
}

/** Creates and disposes an editor outside the page, so that the first visible one opens faster. */
export async function warmUp(): Promise<void> {
  await editorFontReady()
  const model = monaco.editor.createModel('const a = 1\n', 'plaintext')
  const editor = monaco.editor.create(document.createElement('div'), { model })
  editor.dispose()
  model.dispose()
}

monaco.languages.register({ id: 'json', extensions: [workspaceFileExtension] })

export { monaco }

/**
 * Renders Monaco's menus in the page. By default, Monaco places them inside the editor, where the panels around a small
 * editor cut them off. `fixedOverflowWidgets` does not apply to menus.
 */
function showMenusInPage(): void {
  const views = StandaloneServices.get(IContextViewService)
  const show = views.showContextView.bind(views)
  views.showContextView = (delegate, container, ...rest) => show(delegate, container ?? document.body, ...rest)
}
