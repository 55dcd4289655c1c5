import { readKeys } from '../../shared/editor/keymap.ts'
import { isTableCommand, runCommand, type CommandId } from '../platform/commands.ts'
import type { EditorCommand } from '../platform/keymap/monacoCommands.ts'
import { extensionKeybindings, useKeymap, userKeybindings } from '../platform/keymap/keymapStore.ts'
import { monaco } from '../platform/editor/monaco/monaco.ts'

/** Monaco commands that open their own picker, and our commands that replace them. */
const replacedActions: Readonly<Record<string, CommandId>> = {
  'editor.action.quickCommand': 'palette.show',
  'editor.action.quickOutline': 'symbols.inFile',
  'editor.action.gotoLine': 'palette.line',
}

/** Monaco commands that our command table contains, so that the palette does not list them twice. */
const commandTableActions: ReadonlySet<string> = new Set([
  ...Object.keys(replacedActions),
  'undo',
  'redo',
  'actions.find',
  'editor.action.startFindReplaceAction',
  'editor.action.formatDocument',
  'editor.action.marker.next',
  'editor.action.revealDefinition',
  'editor.action.peekDefinition',
  'editor.action.goToReferences',
  // Context menu items that run commands from our table.
  'tizona.calls.show',
  'tizona.inlineEdit.start',
  'tizona.chat.addSelection',
  'tizona.chat.addFile',
])

/** Monaco's names of keys that have another name in the command table. */
const keyNames: Readonly<Record<string, keyof typeof monaco.KeyCode>> = {
  Left: 'LeftArrow',
  Right: 'RightArrow',
  Up: 'UpArrow',
  Down: 'DownArrow',
  '`': 'Backquote',
  '-': 'Minus',
  '=': 'Equal',
  '[': 'BracketLeft',
  ']': 'BracketRight',
  '\\': 'Backslash',
  ';': 'Semicolon',
  "'": 'Quote',
  ',': 'Comma',
  '.': 'Period',
  '/': 'Slash',
}

/** Converts one press (`Ctrl+K`) to Monaco's key code. */
function monacoPress(press: string): number {
  const parts = press.split('+')
  const key = parts.pop() ?? ''
  // Monaco names its key codes KeyA and Digit1.
  const name = keyNames[key] ?? (/^\d$/.test(key) ? `Digit${key}` : /^[A-Z]$/.test(key) ? `Key${key}` : key)
  const code = monaco.KeyCode[name as keyof typeof monaco.KeyCode]
  const { CtrlCmd, WinCtrl, Shift, Alt } = monaco.KeyMod
  const mac = parts.includes('Cmd')
  return parts.reduce(
    (bits, part) => bits | ({ Cmd: CtrlCmd, Ctrl: mac ? WinCtrl : CtrlCmd, Shift, Alt }[part] ?? 0),
    code,
  )
}

/** Converts a shortcut to Monaco's number. */
function monacoKeybinding(keys: string): number {
  const [first = '', second] = keys.split(' ')
  return second === undefined ? monacoPress(first) : monaco.KeyMod.chord(monacoPress(first), monacoPress(second))
}

/**
 * Registers the parts of the keymap that Monaco needs: our chords, because they can start in the editor, and the user's
 * changes to shortcuts of Monaco commands.
 */
function addKeymap(): monaco.IDisposable[] {
  const chords = useKeymap.getState().bindings.flatMap(({ command: id, keys }) => {
    if (!isTableCommand(id) || !keys.includes(' ')) return []
    const command = `tizona.${id}`
    return [
      monaco.editor.addCommand({ id: command, run: () => void runCommand(id) }),
      monaco.editor.addKeybindingRule({ keybinding: monacoKeybinding(keys), command }),
    ]
  })
  const own = [...extensionKeybindings(), ...userKeybindings()].flatMap(({ key, command, when }) => {
    const keys = readKeys(key)
    if (keys === null || isTableCommand(command.replace(/^-/, ''))) return []
    return [monaco.editor.addKeybindingRule({ keybinding: monacoKeybinding(keys), command, when })]
  })
  return [...chords, ...own]
}

/** Registers the keymap in Monaco, keeps it current, and replaces Monaco's pickers with ours. Called once. */
export function registerMonacoKeys(): void {
  let added = addKeymap()
  useKeymap.subscribe(() => {
    for (const each of added) each.dispose()
    added = addKeymap()
  })
  for (const [id, own] of Object.entries(replacedActions))
    monaco.editor.addCommand({ id, run: () => void runCommand(own) })
  // Monaco shows Ctrl+F12 in a browser, but our table uses F12.
  monaco.editor.addKeybindingRule({ keybinding: monaco.KeyCode.F12, command: 'editor.action.revealDefinition' })
}

/** Part of Monaco's keybinding service, which standalone editors have but the typings omit. */
interface KeyLookup {
  lookupKeybinding(id: string): { getLabel(): string | null } | undefined
  _getResolver(): { getKeybindings(): readonly MonacoBinding[] }
}

interface MonacoBinding {
  command: string | null
  isDefault: boolean
  resolvedKeybinding?: { getUserSettingsLabel(): string | null }
}

function keyLookup(editor: monaco.editor.IStandaloneCodeEditor): KeyLookup | undefined {
  return '_standaloneKeybindingService' in editor ? (editor._standaloneKeybindingService as KeyLookup) : undefined
}

/** Lists Monaco's commands for the palette, without those in our table. */
export function monacoActions(
  editor: monaco.editor.IStandaloneCodeEditor,
): { id: string; label: string; keys?: string }[] {
  const service = keyLookup(editor)
  return editor
    .getSupportedActions()
    .filter(({ id, label }) => label !== '' && !commandTableActions.has(id))
    .map(({ id, label }) => ({ id, label, keys: service?.lookupKeybinding(id)?.getLabel() ?? undefined }))
}

/** All actions, including those that cannot run now. The typings only have `getSupportedActions`. */
function allActions(editor: monaco.editor.IStandaloneCodeEditor): readonly { id: string; label: string }[] {
  return 'getActions' in editor
    ? (editor.getActions as () => monaco.editor.IEditorAction[]).call(editor)
    : editor.getSupportedActions()
}

/** Lists Monaco's commands with their default shortcuts, for the shortcuts page. */
export function editorCommandsWithKeys(): EditorCommand[] {
  const editor = monaco.editor.create(document.createElement('div'), { model: null })
  try {
    const bindings = keyLookup(editor)?._getResolver().getKeybindings() ?? []
    const defaults = Map.groupBy(
      bindings.filter(({ isDefault }) => isDefault),
      ({ command }) => command,
    )
    return allActions(editor)
      .filter(({ id, label }) => label !== '' && !commandTableActions.has(id))
      .map(({ id, label }) => {
        const own = (defaults.get(id) ?? []).map((each) => each.resolvedKeybinding?.getUserSettingsLabel() ?? '')
        // Monaco omits defaults that the user removed.
        const removed = [...extensionKeybindings(), ...userKeybindings()].flatMap(({ key, command }) =>
          command === `-${id}` ? [key] : [],
        )
        return { id, label, keys: [...new Set([...own, ...removed].flatMap((key) => readKeys(key) ?? []))] }
      })
  } finally {
    editor.dispose()
  }
}
