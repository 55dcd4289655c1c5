import type { DialogAnswer, ShownDialog } from '../operations.ts'
import { BrowserWindow } from './browserWindow.ts'
import { guarded } from './guarded.ts'
import { needsReady, test } from './host.ts'

type Unnumbered<T> = T extends unknown ? Omit<T, 'id'> : never

const waiting = new Map<number, (answer: DialogAnswer) => void>()
let nextId = 1

/**
 * Shows a dialog to the test and waits for its answer. Dialogs of a closed window remain unanswered, as on most
 * systems.
 */
function show(dialog: Unnumbered<ShownDialog>): Promise<DialogAnswer> {
  needsReady('dialog module can only be used after app is ready')
  const id = nextId++
  return new Promise((resolve) => {
    waiting.set(id, resolve)
    // With the id, the dialog is complete.
    test.tell('dialogShown', { ...dialog, id } as ShownDialog)
  })
}

/** Passes the user's answer to the dialog that waits for it. */
export function answerDialog(id: number, answer: DialogAnswer): void {
  const resolve = waiting.get(id)
  if (resolve === undefined) throw new Error(`No dialog ${id} waits for an answer.`)
  waiting.delete(id)
  resolve(answer)
}

/** Parses the arguments of the module's functions: an optional window, then the options. */
function split<T extends object>(
  first: BrowserWindow | T | undefined,
  second: T | undefined,
): { window: number | null; options: T } {
  const window = first instanceof BrowserWindow ? first : null
  const options = window === null ? (first as T | undefined) : second
  if (typeof options !== 'object' || options === null) throw new TypeError('Options must be an object')
  return { window: window?.id ?? null, options }
}

function textOf(options: object, name: string): string {
  const value = (options as Record<string, unknown>)[name] ?? ''
  if (typeof value !== 'string') throw new TypeError(`${name[0]?.toUpperCase()}${name.slice(1)} must be a string`)
  return value
}

interface MessageOptions {
  buttons?: string[]
  defaultId?: number
  cancelId?: number
  message: string
  type?: string
}
interface FileOptions {
  title?: string
  defaultPath?: string
  properties?: string[]
}

const openProperties = [
  'openFile',
  'openDirectory',
  'multiSelections',
  'showHiddenFiles',
  'createDirectory',
  'promptToCreate',
  'noResolveAliases',
  'treatPackageAsDirectory',
  'dontAddToRecent',
]

export const dialog = guarded('dialog', {
  async showMessageBox(
    first: BrowserWindow | MessageOptions,
    second?: MessageOptions,
  ): Promise<{ response: number; checkboxChecked: boolean }> {
    const { window, options } = split(first, second)
    const { buttons = [], defaultId = -1, type = 'none' } = options
    if (!['none', 'info', 'warning', 'error', 'question'].includes(type))
      throw new TypeError('Invalid message box type')
    if (!Array.isArray(buttons)) throw new TypeError('Buttons must be an array')
    // Electron chooses a button with this name, or the first one.
    const named = buttons.findIndex((button) => ['cancel', 'no'].includes(button.toLowerCase()))
    const cancelId = options.cancelId ?? (named === -1 ? 0 : named)
    const answer = await show({
      kind: 'message',
      window,
      message: textOf(options, 'message'),
      detail: textOf(options, 'detail'),
      buttons: buttons.length === 0 ? ['OK'] : buttons,
      defaultId,
      cancelId,
    })
    return 'response' in answer
      ? { response: answer.response, checkboxChecked: answer.checkboxChecked ?? false }
      : { response: cancelId, checkboxChecked: false }
  },
  async showOpenDialog(
    first?: BrowserWindow | FileOptions,
    second?: FileOptions,
  ): Promise<{ canceled: boolean; filePaths: string[] }> {
    const { window, options } = split(first, second)
    const properties = options.properties ?? ['openFile']
    const unknown = properties.filter((property) => !openProperties.includes(property))
    if (unknown.length > 0) throw new TypeError(`Unknown properties of an open dialog: ${unknown.join(', ')}`)
    const answer = await show({
      kind: 'open',
      window,
      title: textOf(options, 'title'),
      defaultPath: textOf(options, 'defaultPath'),
      properties,
    })
    return 'filePaths' in answer ? { canceled: false, filePaths: answer.filePaths } : { canceled: true, filePaths: [] }
  },
  async showSaveDialog(
    first?: BrowserWindow | FileOptions,
    second?: FileOptions,
  ): Promise<{ canceled: boolean; filePath: string }> {
    const { window, options } = split(first, second)
    const answer = await show({
      kind: 'save',
      window,
      title: textOf(options, 'title'),
      defaultPath: textOf(options, 'defaultPath'),
    })
    return 'filePath' in answer ? { canceled: false, filePath: answer.filePath } : { canceled: true, filePath: '' }
  },
  showErrorBox(title: string, content: string): void {
    console.error(`${title}: ${content}`)
    show({ kind: 'error', title, content }).catch((error: unknown) => console.error(error))
  },
})
