import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices'
import { IContextViewService } from 'monaco-editor/platform/contextview/browser/contextView'

/**
 * Shows Monaco's menus in the page. Without a container Monaco places them inside of the editor, where the panels around
 * a small editor cut them off. `fixedOverflowWidgets` does not apply to menus.
 */
export function showMenusInPage(): void {
  const views = StandaloneServices.get(IContextViewService)
  const show = views.showContextView.bind(views)
  views.showContextView = (delegate, container, ...rest) => show(delegate, container ?? document.body, ...rest)
}
