import type { SystemPackage } from '../base/systemPackage.ts'
import type { AdapterTransport } from './adapterProcess.ts'

/** Attributes of a configuration, as in launch.json. */
export type Configuration = Readonly<Record<string, unknown>>

/** How the program of a debugger is found. */
export type DebuggerProgram =
  /**
   * The first of these names on PATH. `check`: arguments with which it ends successfully if it can be used, and otherwise
   * why not.
   */
  | {
      kind: 'path'
      names: readonly string[]
      check?: { args: readonly string[]; /** What is needed. */ failure: string; /** How to get it. */ fix: string }
    }
  /** The first Python of the folder or on PATH that has the module. */
  | { kind: 'pythonModule'; module: string }
  /** A JavaScript file that the user's settings name. It runs with Node. */
  | { kind: 'script'; setting: 'jsDebugPath' }

/** What was found on this machine. */
export interface FoundDebugger {
  /** Absolute path of the program. */
  program: string
  /** Arguments before those of the adapter, e.g. the script. */
  args: readonly string[]
  /** Its folder, if the sandbox does not show it otherwise. */
  folder?: string
  version?: string
}

/** What decides how a file or test is started. */
export interface ProjectFacts {
  /** Text of `package.json` in the root; '' without one. */
  packageJson: string
  /** Text of the test's file. */
  source: string
  /** Text of the files in the root that configure pytest; '' without one. */
  pytestFiles: string
}

/** A running program: a process of this machine, or the port at which a debugger of the program listens. */
export type AttachPlace = { processId: number } | { port: number }

export interface AttachMethod {
  attributes: Configuration
  /** What listens at the port speaks the protocol itself, so no debugger is started. */
  connects?: true
  /** Prepares the program. @returns further attributes. @throws ToolError */
  prepare?(signal: AbortSignal): Promise<Configuration>
}

/** A debugger that Tizona can run. Tests execute the recipe for another one (CONTRIBUTING.md). */
export interface DebuggerDefinition {
  id: string
  title: string
  /** Names of its languages, for the user. */
  languages: readonly string[]
  /** Types in launch.json. The first one is that of the debugger itself. */
  types: readonly string[]
  program: DebuggerProgram
  /** Command or package that installs it, run in a terminal when the user asks for it. '': none. */
  installCommand: string | SystemPackage
  transport: AdapterTransport
  /** @param socket path of the socket; '' with standard streams */
  args(socket: string): readonly string[]
  /** Converts the attributes of launch.json to those of the adapter. */
  adapterArguments(configuration: Configuration, found: FoundDebugger): object
  /** Further arguments that run the program in a terminal. Undefined: it cannot do that. */
  inTerminal?: object
  /** Command that would run the same program, as the approval rules see it. */
  command(configuration: Configuration): readonly string[]
  /** Attributes of its own in launch.json, as JSON schemas by name, for completion in the editor. */
  attributes?: Readonly<Record<string, object>>
  /** How it attaches to a running program. Undefined: the debugger cannot attach in this way. */
  attach(place: AttachPlace): AttachMethod | undefined
  /** Files that "Debug this file" can start. */
  files?: RegExp
  fileConfiguration?(file: string): Configuration
  /** @returns undefined if the project has no runner for it */
  testConfiguration?(file: string, test: string, project: ProjectFacts): Configuration | undefined
}
