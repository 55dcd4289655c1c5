import { commands, keysFor } from '../../shared/commandsAndKeybindings.ts'
import { currentHost } from '../platform/appState.ts'
import { runCommand, type CommandId } from '../platform/commands.ts'
import { canonicalKeys } from '../platform/keyNotation.ts'
import { monaco } from '../platform/editor/monaco.ts'

/** Monaco commands that open their own picker, with the commands of ours that replace them. */
const replacedActions: Readonly<Record<string, CommandId>> = {
  'editor.action.quickCommand': 'palette.show',
  'editor.action.quickOutline': 'symbols.inFile',
  'editor.action.gotoLine': 'palette.line',
}

/** Monaco commands that our command table contains, so the palette does not list them twice. */
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
  // Items of the context menu that run commands of our table.
  'tizona.inlineEdit.start',
  'tizona.chat.addSelection',
  'tizona.chat.addFile',
])

/** Monaco's names of keys whose name in the command table differs. */
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

/** Registers our chords in Monaco and replaces its pickers with ours. Called once. */
export function registerMonacoKeys(): void {
  for (const row of commands) {
    // The rows come from the table, so their ids are CommandIds.
    const run = () => void runCommand(row.id as CommandId)
    for (const keys of keysFor(row, currentHost()).map((each) => canonicalKeys(each))) {
      const [first, second] = keys.split(' ')
      if (first === undefined || second === undefined) continue
      const command = `tizona.${row.id}`
      monaco.editor.addCommand({ id: command, run })
      monaco.editor.addKeybindingRule({
        keybinding: monaco.KeyMod.chord(monacoPress(first), monacoPress(second)),
        command,
      })
    }
  }
  for (const [id, own] of Object.entries(replacedActions))
    monaco.editor.addCommand({ id, run: () => void runCommand(own) })
  // Monaco shows Ctrl+F12 in a browser, but our table uses F12.
  monaco.editor.addKeybindingRule({ keybinding: monaco.KeyCode.F12, command: 'editor.action.revealDefinition' })
}

/** Part of Monaco's keybinding service. Standalone editors have it since version 0.20, but the typings omit it. */
interface KeyLookup {
  lookupKeybinding(id: string): { getLabel(): string | null } | undefined
}

/** Lists Monaco's commands for the palette, without those of our table. */
export function monacoActions(
  editor: monaco.editor.IStandaloneCodeEditor,
): { id: string; label: string; keys?: string }[] {
  const service =
    '_standaloneKeybindingService' in editor ? (editor._standaloneKeybindingService as KeyLookup) : undefined
  return editor
    .getSupportedActions()
    .filter(({ id, label }) => label !== '' && !commandTableActions.has(id))
    .map(({ id, label }) => ({ id, label, keys: service?.lookupKeybinding(id)?.getLabel() ?? undefined }))
}
