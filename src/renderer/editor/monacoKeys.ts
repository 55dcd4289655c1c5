import { commands, keysFor } from '../../shared/commands.ts'
import { currentShell } from '../platform/appState.ts'
import { runCommand, type CommandId } from '../platform/commands.ts'
import { canonicalKeys } from '../platform/keybindings.ts'
import { monaco } from '../platform/editor/monaco.ts'

/** Monaco's commands that open a list of its own, and ours that takes their place wherever they are offered. */
const replaced: Readonly<Record<string, CommandId>> = {
  'editor.action.quickCommand': 'palette.show',
  'editor.action.quickOutline': 'symbols.inFile',
  'editor.action.gotoLine': 'palette.line',
}

/** Monaco's commands that a command of the table runs; the palette has that one. */
const inTable: ReadonlySet<string> = new Set([
  ...Object.keys(replaced),
  'undo',
  'redo',
  'actions.find',
  'editor.action.startFindReplaceAction',
  'editor.action.formatDocument',
  'editor.action.marker.next',
  'editor.action.revealDefinition',
  'editor.action.peekDefinition',
  'editor.action.goToReferences',
])

/** A press of the table (`Ctrl+S`) as Monaco's number. Chords use letters and digits only. */
function monacoPress(press: string): number {
  const parts = press.split('+')
  const key = parts.pop() ?? ''
  // The names of Monaco's enumeration: KeyA, Digit1.
  const code = monaco.KeyCode[(/^\d$/.test(key) ? `Digit${key}` : `Key${key}`) as keyof typeof monaco.KeyCode]
  const { CtrlCmd, WinCtrl, Shift, Alt } = monaco.KeyMod
  const mac = parts.includes('Cmd')
  return parts.reduce(
    (bits, part) => bits | ({ Cmd: CtrlCmd, Ctrl: mac ? WinCtrl : CtrlCmd, Shift, Alt }[part] ?? 0),
    code,
  )
}

/** Teaches Monaco the table's chords, and its lists to be ours. Called once. */
export function shareKeys(): void {
  for (const row of commands) {
    // The rows come from the table, so their ids are CommandIds.
    const run = () => void runCommand(row.id as CommandId)
    for (const keys of keysFor(row, currentShell()).map((each) => canonicalKeys(each))) {
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
  for (const [id, own] of Object.entries(replaced)) monaco.editor.addCommand({ id, run: () => void runCommand(own) })
  // Monaco shows Ctrl+F12 where it runs in a browser; F12 is the table's.
  monaco.editor.addKeybindingRule({ keybinding: monaco.KeyCode.F12, command: 'editor.action.revealDefinition' })
}

/** Reads the keys of a command. Not part of Monaco's typings, but of every standalone editor since 0.20. */
interface KeyLookup {
  lookupKeybinding(id: string): { getLabel(): string | null } | undefined
}

/** Monaco's own commands for the palette: those that the table has not. */
export function monacoActions(
  editor: monaco.editor.IStandaloneCodeEditor,
): { id: string; label: string; keys?: string }[] {
  const service =
    '_standaloneKeybindingService' in editor ? (editor._standaloneKeybindingService as KeyLookup) : undefined
  return editor
    .getSupportedActions()
    .filter(({ id, label }) => label !== '' && !inTable.has(id))
    .map(({ id, label }) => ({ id, label, keys: service?.lookupKeybinding(id)?.getLabel() ?? undefined }))
}
