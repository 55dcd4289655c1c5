import { registerLanguageFeatures } from '../platform/editor/languageFeatures.ts'

/** Loads the code editor's component and registers the language features that other features contribute. */
export async function loadMonacoView() {
  const [view] = await Promise.all([import('./MonacoView.tsx'), registerLanguageFeatures()])
  return view.default
}
