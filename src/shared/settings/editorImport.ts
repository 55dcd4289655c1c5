/** A VS Code-based editor on this machine with settings that can be imported. */
export interface ImportSource {
  /** Name of its settings folder, which identifies it. */
  id: string
  title: string
  /** Absolute path of the folder `User`. */
  folder: string
}

/** What was imported from another editor, or would be. Each entry is a line for the user. */
export interface ImportReport {
  settings: string[]
  keybindings: string[]
  snippets: string[]
  /** What was left out, with the reason. */
  skipped: string[]
}
