/** A command that the files of a folder define, e.g. a script of `package.json`. */
export interface Task {
  /** As in the file: the name of a script, of a target or of a task. */
  name: string
  /** Command line for the user's shell in the root of the folder. */
  command: string
  /** File that defines it, relative to the folder. */
  source: string
}

/** A test in a file, and the command that runs it alone. */
export interface FoundTest {
  name: string
  /** 1-based line of its beginning. */
  line: number
  command: string
}
