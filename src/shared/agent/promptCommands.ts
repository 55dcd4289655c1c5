/** A slash command defined by a prompt file, in a plug-in with the name of it before: `plugin:command`. The user reviews the prompt before sending it. */
export interface PromptCommand {
  /** Without the slash. */
  name: string
  description: string
  /** Describes the arguments, as written in the file; may be empty. */
  hint: string
  source: 'workspace' | 'user' | 'plugin'
}

/** A suggested first message for the open folder. */
export interface SuggestedMessage {
  /** Name of a codicon. */
  icon: string
  text: string
  /** Whether an answer to it changes files. */
  changes?: true
}
