import type { IDecoration, IDisposable, IMarker, Terminal } from '@xterm/xterm'

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
  /** Whether the shell waits for a command. */
  atPrompt(): boolean
}

interface MarkOptions {
  /** `JobInfo.marksCode`: marks of command lines without it are ignored, because any program can print some. */
  code: string
  /** Receives each command line that the shell runs. */
  onCommand(command: string): void
}

/** Maximum number of marked commands. */
const maxCommands = 500

/**
 * Shows a dot beside each prompt at which a command was run, with its exit code. Follows the shell integration marks
 * `OSC 133` (FinalTerm) and `OSC 633` (VS Code): A at the prompt, E with the command line, C when the command starts, D
 * when it ends. resources/shell has what sends them.
 */
export function markCommands(terminal: Terminal, { code, onCommand }: MarkOptions): CommandMarks {
  const commands: MarkedCommand[] = []
  let prompt: IMarker | undefined

  function show(command: MarkedCommand, text: string): void {
    command.decoration?.dispose()
    const decoration = terminal.registerDecoration({ marker: command.marker, layer: 'top' })
    command.decoration = decoration
    decoration?.onRender((element) => {
      element.classList.add('job-mark')
      element.dataset['state'] = command.state
      element.title = text
      element.role = 'img'
      element.ariaLabel = text
    })
  }

  function started(): void {
    if (!prompt || prompt.isDisposed) return
    const command: MarkedCommand = { marker: prompt, decoration: undefined, state: 'running' }
    prompt = undefined
    commands.push(command)
    if (commands.length > maxCommands) commands.shift()?.marker.dispose()
    show(command, 'The command is running.')
  }

  function ended(exitCode = ''): void {
    const last = commands.at(-1)
    if (last?.state !== 'running') return
    last.state = exitCode === '' || exitCode === '0' ? 'succeeded' : 'failed'
    show(last, exitCode === '' ? 'The command has ended.' : `The command ended with exit code ${exitCode}.`)
  }

  function onMark(data: string): boolean {
    const [kind, text = '', given] = data.split(';')
    if (kind === 'A') {
      prompt?.dispose()
      prompt = terminal.registerMarker(0)
    } else if (kind === 'E' && given === code) onCommand(unescaped(text))
    else if (kind === 'C') started()
    else if (kind === 'D') ended(text)
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
    atPrompt: () => prompt !== undefined && terminal.buffer.active.type === 'normal',
    dispose() {
      for (const handler of handlers) handler.dispose()
      for (const { marker } of commands) marker.dispose()
      prompt?.dispose()
    },
  }
}

/** Reads a command line as VS Code's marks write it: `\x0a` is a line break, `\\` a backslash. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(\\|x([0-9a-f]{2}))/gi, (_all, _kind: string, hex: string | undefined) =>
    hex === undefined ? '\\' : String.fromCharCode(Number.parseInt(hex, 16)),
  )
}
