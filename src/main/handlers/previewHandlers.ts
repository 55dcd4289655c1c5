import type { RequestName } from '../../shared/bridge/protocol.ts'
import { noPreview } from '../../shared/preview/preview.ts'
import type { PageView } from '../preview/pageView.ts'
import { webUrl } from '../web/webUrl.ts'
import type { Handlers } from '../core/coreContract.ts'

/**
 * Handles the window's requests about the page of the Preview tab.
 * @param currentFolder returns the services of the open folder; throws ToolError no_workspace
 * @param folder the same, or undefined
 */
export function createPreviewHandlers(
  currentFolder: () => { pageView: PageView },
  folder: () => { pageView: PageView } | undefined,
): Pick<Handlers, Extract<RequestName, `preview.${string}`>> {
  const current = () => currentFolder().pageView
  return {
    'preview.state': () => folder()?.pageView.state() ?? noPreview,
    'preview.servers': () => current().servers(),
    async 'preview.open'({ url, approved }, signal) {
      const address = webUrl(url)
      // Routes of the page may be in it.
      address.hash = URL.parse(url.trim())?.hash ?? ''
      return { host: await current().open(address, approved, signal) }
    },
    'preview.go': ({ to }) => current().go(to),
    'preview.frame': ({ after, display }) => current().frame(after, display),
    'preview.hide': () => folder()?.pageView.hide(),
    'preview.place': ({ bounds, display }) => folder()?.pageView.place(bounds, display),
    'preview.focus': () => folder()?.pageView.focus(),
    'preview.input': ({ events }) => current().input(events),
    'preview.choose': (choice) => current().choose(choice),
    'preview.answerDialog': ({ accept, text }) => current().answerDialog(accept, text),
    'preview.files': ({ query }, signal) => current().files(query, signal),
    'preview.chooseFiles': ({ id, paths }) => current().chooseFiles(id, paths),
    'preview.log': () => current().log(),
    'preview.tree': () => current().tree(),
    'preview.screenshot': async () => ({ data: (await current().screenshot()).toString('base64') }),
    'preview.target': ({ at }) => current().target(at),
    'preview.pick': () => current().pick(),
    'preview.selection': () => current().selection(),
    'preview.close': () => current().close(),
  }
}
