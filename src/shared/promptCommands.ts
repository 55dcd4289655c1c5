/** A slash command that is a file: it yields a prompt, which the user sees before it is sent. */
export interface PromptCommand {
  /** Without the slash. */
  name: string
  description: string
  /** What its arguments are, as its file says; may be empty. */
  hint: string
  source: 'workspace' | 'user'
}
