import type { IDecoration, IDisposable, IMarker, Terminal } from '@xterm/xterm'
import { textBetween, type Place } from './terminalText.ts'

/** A command of a terminal whose shell marks prompts and commands. */
interface MarkedCommand {
  /** Line of its prompt. */
  marker: IMarker
  decoration: IDecoration | undefined
  state: 'running' | 'succeeded' | 'failed'
}

/** Marks of the commands in a terminal. */
export interface CommandMarks extends IDisposable {
  /** Scrolls to the prompt above (-1) or below (1) what is shown. */
  scrollToCommand(step: 1 | -1): void
}

/** Maximum number of marked commands. */
const maxCommands = 500
/** Maximum length of a command that is remembered. */
const maxCommandLength = 2000

/**
 * Shows a dot beside each prompt at which a command was run, with its exit code. Follows the shell integration marks
 * `OSC 133` (FinalTerm) and `OSC 633` (VS Code): B after the prompt, C when the command starts, D when it ends.
 * @param onCommand receives each command line that is run
 */
export function markCommands(terminal: Terminal, onCommand: (command: string) => void): CommandMarks {
  const commands: MarkedCommand[] = []
  let prompt: { marker: IMarker; column: number } | undefined

  function show(command: MarkedCommand, exitCode?: string): void {
    command.decoration?.dispose()
    const decoration = terminal.registerDecoration({ marker: command.marker, layer: 'top' })
    command.decoration = decoration
    decoration?.onRender((element) => {
      element.classList.add('job-mark')
      element.dataset['state'] = command.state
      element.title =
        command.state === 'running'
          ? 'The command is running.'
          : exitCode === undefined || exitCode === ''
            ? 'The command has ended.'
            : `The command ended with exit code ${exitCode}.`
    })
  }

  function started(): void {
    if (!prompt || prompt.marker.isDisposed) return
    const { active } = terminal.buffer
    const end: Place = { row: active.baseY + active.cursorY, column: active.cursorX }
    const line = textBetween(active, { row: prompt.marker.line, column: prompt.column }, end).trim()
    if (line !== '' && line.length <= maxCommandLength) onCommand(line)
    const command: MarkedCommand = { marker: prompt.marker, decoration: undefined, state: 'running' }
    prompt = undefined
    commands.push(command)
    if (commands.length > maxCommands) commands.shift()?.marker.dispose()
    show(command)
  }

  function onMark(data: string): boolean {
    const [kind, exitCode] = data.split(';')
    const last = commands.at(-1)
    if (kind === 'B') {
      prompt?.marker.dispose()
      prompt = { marker: terminal.registerMarker(0), column: terminal.buffer.active.cursorX }
    } else if (kind === 'C') started()
    else if (kind === 'D' && last?.state === 'running') {
      last.state = exitCode === undefined || exitCode === '' || exitCode === '0' ? 'succeeded' : 'failed'
      show(last, exitCode)
    }
    // Let other handlers read the mark too.
    return false
  }

  const handlers = [133, 633].map((id) => terminal.parser.registerOscHandler(id, onMark))
  return {
    scrollToCommand(step) {
      const shown = terminal.buffer.active.viewportY
      const lines = commands.filter(({ marker }) => !marker.isDisposed).map(({ marker }) => marker.line)
      const line = step === 1 ? lines.find((each) => each > shown) : lines.findLast((each) => each < shown)
      if (line !== undefined) terminal.scrollToLine(line)
      else if (step === 1) terminal.scrollToBottom()
    },
    dispose() {
      for (const handler of handlers) handler.dispose()
      for (const { marker } of commands) marker.dispose()
      prompt?.marker.dispose()
    },
  }
}
