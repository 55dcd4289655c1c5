/** A command that the folder's files define, e.g. a `package.json` script. */
export interface Task {
  /** Name of the script, target or task, as in the file. */
  name: string
  /** Command line for the user's shell, run in the folder's root. */
  command: string
  /** Name of the folder in a multi-root workspace. */
  folder?: string
  /** File that defines it, relative to the folder. */
  source: string
}

/** A test in a file, and the command that runs it alone. */
export interface FoundTest {
  name: string
  /** 1-based line where the test starts. */
  line: number
  command: string
  /** Name of the folder in a multi-root workspace. */
  folder?: string
}
