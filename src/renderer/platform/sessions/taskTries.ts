import { create } from 'zustand'
import type { ImageAttachment } from '../../../shared/agent/attachments.ts'
import type { ModelChoice } from '../../../shared/agent/conversation.ts'
import type { Mode, ToolsetName } from '../../../shared/tools/risk.ts'

/** What the dialog that starts tries begins with. */
export interface TaskDraft {
  prompt: string
  mode: Mode
  model?: ModelChoice | undefined
  toolset?: ToolsetName | undefined
  pictures: readonly ImageAttachment[]
  /** Number of page elements of the message, which tries do not get. */
  elements: number
  /** Called when the tries have started. */
  onStarted: () => void
}

interface TaskTriesState {
  /** The open dialog that starts tries. */
  draft: TaskDraft | null
  /** Id of the task whose tries are compared. */
  task: string | null
}

/** The dialogs about several tries of a task. sessions/ shows them. */
export const useTaskTries = create<TaskTriesState>(() => ({ draft: null, task: null }))

export function askForTries(draft: TaskDraft): void {
  useTaskTries.setState({ draft })
}

/** Shows the tries of a task in a table. */
export function showTries(task: string): void {
  useTaskTries.setState({ task })
}
