import { constants } from 'node:os'

/** Exit codes of the commands. */
export const exitCodes = {
  done: 0,
  /**
   * `call`: the tool failed. `run`: the turn failed. `check-model`: the model cannot work as an agent. Any command: an
   * unexpected error.
   */
  failed: 1,
  usage: 2,
  endpoint: 3,
  approvalNeeded: 4,
  turnLimit: 5,
  truncated: 6,
  repeating: 7,
  /** Ctrl+C, a cancelled turn, or a closed pipe. For other signals see `cancelledCode`. */
  cancelled: 130,
} as const

/** Signals that end a command: from Ctrl+C, supervisors, and closed terminals or SSH connections. */
export const endSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Reason for aborting a command that received a signal. */
export class EndSignal extends DOMException {
  readonly signal: (typeof endSignals)[number]
  constructor(signal: (typeof endSignals)[number]) {
    super('Interrupted.', 'AbortError')
    this.signal = signal
  }
}

/** Returns the exit code of a cancelled command: 128 plus the signal number, as in shells. */
export function cancelledCode({ reason }: AbortSignal): number {
  return reason instanceof EndSignal ? 128 + constants.signals[reason.signal] : exitCodes.cancelled
}

export const usage = `Usage:
  tizona [FOLDER | FILE.code-workspace | FILE[:LINE[:COLUMN]]] [--add] [--wait] [--port N] [--no-open] [--public-origin URL] [--log-level LEVEL]
      Starts the application and opens FOLDER, or FILE in the window that has its folder open. --wait exits when the
      tab of the file is closed (GIT_EDITOR="tizona --wait").

  tizona run PROMPT --workspace DIR --endpoint URL|FILE.gguf [--model NAME]
      [--kind openai|ollama] [--mode MODE] [--toolset NAME] [--max-turns N] [--temperature T]
      [--profile auto|full|medium|compact|minimal] [--context-window TOKENS] [--continue ID|last] [--trust] [--review]
      [--worktree[=NAME] [--approve-set-up]]
      Runs the model in DIR, a folder or a .code-workspace file, and prints one JSON event per line. "-" reads the
      prompt from standard input.
      --endpoint is the address of a model server, or a model file (FILE.gguf), which Tizona runs itself; it needs
      no --model. --kind is the API of the server (default: detected). TIZONA_API_KEY is sent as a bearer token.
      --profile limits the size of instructions and tools (default: by context size). --context-window sets the context
      size if the server does not report it. A full context is compacted automatically.
      --continue adds the prompt to a conversation of this folder. Its toolset stays unless --toolset is given.
      With --mode plan nothing is changed, and the text of the last event is the plan. To carry it out:
      tizona run "Carry out the plan above, step by step." --continue last --mode cautious …
      --workspace permits commands in DIR for this run. --trust trusts the files of DIR for this
      run: instruction files such as AGENTS.md, rules, skills, prompts, and the MCP servers in .mcp.json or
      .tizona/mcp.json, which are listed. Without it, these are used only if you trusted the folder in the application.
      Calls that need approval in this mode are refused, because nobody can answer.
      --review adds the changed files of the turn to the last event.
      --worktree runs the prompt in a new git worktree on a branch of its own, tizona/NAME, outside DIR. The last event
      contains its folder, branch and changed files. Its ignored files are those that .worktreeinclude in DIR matches.
      --approve-set-up allows the command "sessions.setUp" of .tizona/settings.json in DIR, which prepares worktrees, until
      it changes. It runs in the sandbox.

  tizona tries PROMPT --workspace DIR --endpoint URL|FILE.gguf --try "[MODEL] [temperature=T] [toolset=NAME] [profile=NAME]"...
      [--model NAME] [--name NAME] [--test COMMAND] [--json] [--kind …] [--mode MODE] [--max-turns N] [--trust]
      [--approve-set-up]
      Gives one prompt to several sessions at once, one for each --try, each in a worktree of its own (NAME-1, NAME-2, …).
      --test runs a command in each of them afterwards, in the sandbox. Prints a table of what came of them, or with --json
      the events of all runs. "tizona sessions" shows, takes over and removes them. The other options are those of "run".

  tizona call TOOL 'JSON' --workspace DIR [--toolset NAME] [--mode MODE] [--trust]
      Runs one tool and prints one JSON object: {ok, text, view, error: {code, message}, elapsed_ms}.

  tizona explain 'COMMAND' [--mode MODE] [--workspace DIR] [--json]
      Shows whether a command line would run without approval in DIR (default: the current folder), and which rule
      decides each command in it. Does not run it. "+": runs, "?": needs approval, "-": is refused.

  tizona tools [--toolset NAME] [--format openai|text|markdown]
      Lists the tools of a toolset.

  tizona mcp --workspace DIR [--toolset NAME] [--mode MODE] [--trust]
      Serves a toolset over the Model Context Protocol on standard input and output, until the input ends.
      Calls that need approval are sent to the client's user if the client supports elicitation, and refused otherwise.

  tizona mcp login|logout NAME [--workspace DIR] [--trust]
      Signs in to an MCP server, or out of it: one of yours, or one of DIR (default: the current folder).
      "login" prints the address of the sign-in page; open it in a browser on this machine.

  tizona acp [--endpoint URL|FILE.gguf] [--model NAME] [--kind openai|ollama] [--mode MODE]
      [--toolset NAME] [--profile auto|full|medium|compact|minimal] [--context-window TOKENS] [--trust]
      [--worktree]
      Serves the agent over the Agent Client Protocol on standard input and output, for editors such as Zed, until the
      input ends. The editor chooses the folder and answers approvals. Without --endpoint, the model selected
      in the application answers. --trust trusts the files of the folders, as in "run".
      With --worktree, each session begins in a worktree of its own; otherwise the editor offers that as an option.

  tizona tour
      Plays the scripted tour on a temporary copy and prints the diff of the changes.

  tizona conversations --workspace DIR [--query WORDS]
      Lists the conversations of DIR, one JSON object per line.

  tizona export ID [--format markdown|json]
  tizona import FILE --workspace DIR
      Writes a conversation to standard output; adds a conversation that was exported as JSON.

  tizona replay FILE --workspace DIR [--mode MODE] [--tools]
      Repeats the tool calls of an exported conversation (JSON) in DIR and prints which results differ. Calls that need
      approval in this mode are refused. With --tools, the calls run without the agent on a temporary copy of DIR, and
      calls that need a model or an MCP server are skipped.

  tizona checkpoints list|show ID|restore ID --workspace DIR
      Lists the checkpoints of DIR, shows what has changed since one, or restores one.
      A restore first stores a checkpoint of the current state and prints its number as "before".

  tizona review [--workspace DIR] [--since TURN] [--json] [--keep PATH[:HUNK]]... [--undo PATH[:HUNK]]...
      Keeps or undoes changes by the agent in DIR (default: the current folder), then lists those that remain.
      TURN is the id of a user message, or "last". HUNK counts from 1. --json prints one object per file.

  tizona sessions list|sweep [--workspace DIR] [--json] [--yes]
  tizona sessions show NAME [--workspace DIR] [--json]
  tizona sessions take-over NAME [--workspace DIR] [--only PATH[:HUNK]]...
  tizona sessions merge|rebase NAME [--workspace DIR] [--trust] [--yes]
  tizona sessions archive|unarchive|remove NAME [--workspace DIR] [--yes]
      Lists the worktrees that "run --worktree" made from DIR (default: from all folders), archives or removes one.
      "show" lists what a session has changed since its base commit, with --json its hunks. "take-over" applies that to the
      folder that it was made from, or only some files and hunks (HUNK counts from 1). If one cannot be merged, nothing is
      written. "tizona review" keeps or undoes the result.
      "merge" merges its branch into the branch of that folder, "rebase" rebases it onto that branch, both as git does, with
      hooks, in a folder that you trust or with --trust. Protected files in its commits need --yes, and no hooks run then.
      Work that is nowhere else needs --yes, and is then kept for 30 days. "sweep" lists those whose conversation is gone,
      and with --yes removes those without such work.

  tizona plugins list [--json]
  tizona plugins add FOLDER|FILE.zip [--trust] [--json]
  tizona plugins check [NAME] [--json]
  tizona plugins update NAME [--yes] [--hash HASH] [--json]
  tizona plugins trust|enable|disable NAME
  tizona plugins remove NAME [--delete-data]
      Adds a copy of a plug-in (skills, prompts, hooks, MCP servers, sub-agents) and lists all that it brings. Nothing of
      it is used before it is trusted. "check" compares plug-ins with the folders that they came from. "update" prints the
      difference, and with --yes accepts it; --hash accepts no version with another hash. Adding another version of a plug-in offers it as an update.
      "remove" keeps the data that a plug-in has stored, unless --delete-data is given.

  tizona check-model --endpoint URL|FILE.gguf [--model NAME] [--kind openai|ollama]
      [--context-window TOKENS] [--tasks LIST] [--minutes N] [--json] [--apply]
      Checks what a model and its server can do: measures the server, then gives the model small tasks in temporary
      folders. Prints progress to standard error and a report to standard output, as Markdown or with --json as JSON.
      LIST contains steps separated by commas: answer, call, cache, window, vision, read, edit, repair, two-calls,
      long-file, refusal (default: all). --minutes limits the whole check (default: 30).
      --apply stores the recommended settings if the check finishes. TIZONA_API_KEY is sent as a bearer token.

  tizona doctor [--workspace DIR [--trust]] [--models] [--json]
      Prints what Tizona found on this machine, or for DIR, what is missing or does not work, and how to mend it: Node.js,
      Electron, browser, git, sandbox, model servers and what they drop, plug-ins, debuggers, notebooks, language
      servers.
      --models also asks the best model of each server to call a tool, which loads the model.

  tizona --help | --version
  tizona COMMAND --help

Every command accepts --log-level error|warn|info|debug. The log is logs/tizona.log in the user data folder.

Modes: safe (default), cautious, paranoid, yolo, plan. Rustant's spelling (Safe, Yolo) is accepted.
Toolsets: blade (default), ultrasushitron, rustant, rusty.

Exit codes:
    0  done
    1  call: the tool failed; replay: a result differs, or no call could be replayed; checkpoints restore, review:
       a file could not be changed; check-model: the model cannot work as an agent; doctor: something that Tizona
       needs does not work; otherwise an unexpected error
    2  the command line is invalid, or names a folder or a model file that does not exist
    3  the endpoint could not be reached or failed, or the model file cannot be run
    4  a call needed approval and was refused
    5  the turn limit was reached, or the model repeated the same calls
    6  the last answer was truncated at the model's output limit or the end of its context
    7  the model's answers repeated themselves
  130  cancelled (Ctrl+C ends the turn first); 143 and 129 after SIGTERM and SIGHUP

Conversations of "run" and "acp" are stored and shown in the application. TIZONA_USER_DATA sets another user data folder.`

/** Returns the help for one command, or the whole help for another word. */
export function commandUsage(word: string): string {
  const parts = usage
    .split('\n\n')
    .filter((part) => part.split('\n').some((line) => `${line} `.startsWith(`  tizona ${word} `)))
  return parts.join('\n\n') || usage
}
