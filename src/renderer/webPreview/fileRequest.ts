import type { PreviewFileRequest } from '../../shared/preview/preview.ts'
import { plural } from '../../shared/text/plural.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { closeQuickPick, quickPick, type QuickPickItem } from '../platform/quickPick/quickPick.ts'

/** Title of the picker, which no page can choose. */
const title = 'Files for the page'
/** The request whose picker was shown. */
let shown: number | undefined

/** Shows the picker for a new request of the page, and closes that of an earlier one. */
export function showFileRequest(fileRequest: PreviewFileRequest | null): void {
  if (fileRequest?.id === shown) return
  shown = fileRequest?.id
  closeQuickPick(title)
  if (!fileRequest) return
  const { id, multiple } = fileRequest
  attempt(
    async () => request('preview.chooseFiles', { id, paths: await choosePaths(multiple) }),
    'The page did not get the file',
  )
}

/** Asks for files of the folder, one after the other if there can be several. @returns none if the user cancelled */
async function choosePaths(multiple: boolean): Promise<string[]> {
  const chosen: string[] = []
  for (;;) {
    const picked = await quickPick({
      title,
      placeholder: multiple ? 'The page requests files of this folder' : 'The page requests a file of this folder',
      empty: 'No file of this folder matches. Secret and protected files are not listed.',
      items: async (query) => [
        ...(chosen.length > 0 && query === '' ? [useChosen(chosen)] : []),
        ...(await request('preview.files', { query })).filter((path) => !chosen.includes(path)).map(fileItem),
      ],
      matched: (query) => query,
    })
    if (!picked) return []
    if (picked.id !== '') chosen.push(picked.id)
    if (picked.id === '' || !multiple) return chosen
  }
}

const useChosen = (chosen: readonly string[]): QuickPickItem => ({
  id: '',
  label: `Use ${plural(chosen.length, 'file')}`,
  description: chosen.join(', '),
  icon: 'check',
})

function fileItem(path: string): QuickPickItem {
  const slash = path.lastIndexOf('/')
  return {
    id: path,
    label: path.slice(slash + 1),
    description: slash === -1 ? '' : path.slice(0, slash),
    file: { path, kind: 'file' },
  }
}
