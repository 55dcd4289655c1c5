import { quoteWord } from '../../../base/quoteWord.ts'

/** Code cells that run in a kernel. */
export interface CellCommand {
  /** Name of the kernel's specification. */
  kernel: string
  file: string
  /** Texts of the cells. */
  sources: readonly string[]
}

/**
 * Describes the code of cells as a command line for approval. Shell commands in a cell follow it as commands of their
 * own, so that rules which refuse a command see them.
 */
export function cellCommand({ kernel, file, sources }: CellCommand): string {
  return sources
    .flatMap((source) => [
      ['jupyter-kernel', kernel, file, source],
      ...shellCommands(source, kernel).map((command) => ['bash', '-c', command]),
    ])
    .map((words) => words.map(quoteWord).join(' '))
    .join(' && ')
}

/** Magics whose cell, or rest of the line, is a shell command. */
const shellMagics = new Set(['bash', 'sh', 'zsh', 'script', 'system', 'sx', '!'])
const shellKernels = new Set(['bash', 'zsh', 'sh', 'calysto_bash'])

/** Shell commands in the text of a cell: IPython's "!" and "%%bash", or all of it in a kernel for a shell. */
function shellCommands(source: string, kernel: string): string[] {
  if (shellKernels.has(kernel)) return [source]
  const [first = '', ...rest] = source.trimStart().split('\n')
  if (first.startsWith('%%') && shellMagics.has(magicOf(first.slice(2)))) return [rest.join('\n')]
  return source.split('\n').flatMap((line) => {
    const code = line.slice(line.indexOf('=') + 1).trim()
    const command = [line.trim(), code].find((text) => text.startsWith('!') || text.startsWith('%'))
    if (command === undefined) return []
    if (command.startsWith('!')) return [command.startsWith('!!') ? command.slice(2) : command.slice(1)]
    const name = magicOf(command.slice(1))
    return shellMagics.has(name) ? [command.slice(name.length + 1)] : []
  })
}

const magicOf = (text: string): string => (text.startsWith('!') ? '!' : (text.split(' ')[0] ?? ''))
