import { create } from 'zustand'

/** A job's terminal in the panel. XtermJobTerminal.tsx implements it. */
export interface TerminalView {
  selection(): string
  /** Output of the last command; '' if there is none. */
  lastOutput(): string
  selectAll(): void
  clearSelection(): void
  /** Removes the output, except the prompt's line. */
  clear(): void
  focus(): void
  /** Scrolls to the previous (-1) or next (1) command, if the shell marks commands. */
  scrollToCommand(step: 1 | -1): void
  /** Whether its shell waits for a command; false if the shell does not say. */
  atPrompt(): boolean
  /** Selects the next match (1) or the previous one (-1). An empty query removes all highlights. */
  find(query: string, step: 1 | -1): void
}

const views = new Map<string, TerminalView>()

/** Registers the view of a job while it is shown. @returns a function that unregisters it */
export function registerTerminalView(jobId: string, view: TerminalView): () => void {
  views.set(jobId, view)
  return () => {
    if (views.get(jobId) === view) views.delete(jobId)
  }
}

export function terminalView(jobId: string): TerminalView | undefined {
  return views.get(jobId)
}

/** Search matches in a terminal. */
export interface FoundInTerminal {
  jobId: string
  /** 0-based index of the selected match; -1 if none is selected. */
  index: number
  count: number
}

interface TerminalFindState {
  /** Id of the job whose output is searched. */
  finding: string | null
  found: FoundInTerminal | null
}

export const useTerminalFind = create<TerminalFindState>()(() => ({ finding: null, found: null }))
