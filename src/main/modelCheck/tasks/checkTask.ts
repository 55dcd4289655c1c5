import type { ConversationItem } from '../../../shared/agent/conversation.ts'
import type { FindingCode, TaskStep } from '../../../shared/models/modelCheck.ts'

/** A file of a task: path with `/`, and text. */
export type TaskFile = readonly [path: string, text: string]

/** The result of a model's work on a task, for checking. */
export interface TaskRun {
  /** The conversation, without the user's message. */
  items: readonly ConversationItem[]
  /** Text of the last answer. */
  answer: string
  /** Reads a file of the folder; null if it does not exist. */
  read(path: string): Promise<string | null>
  /** Writes the task's files below these folders again. */
  restore(paths: readonly string[]): Promise<void>
  /** Runs a command in the folder, in the sandbox if there is one. @returns whether it succeeded */
  succeeds(command: string): Promise<boolean>
}

export interface TaskProblem {
  note: string
  /** A finding about the model, besides the failure. */
  finding?: FindingCode
}

/** A task for a model in its own folder. Used by the model check and the small-model benchmark. */
export interface CheckTask {
  step: TaskStep
  prompt: string
  files: readonly TaskFile[]
  /** Commands that run without the user's approval. All others are refused. */
  allowedCommands?: RegExp
  /** A program without which the task is skipped. */
  needs?: string
  /** Returns undefined if the task is solved. */
  problem(run: TaskRun): Promise<TaskProblem | undefined>
}
