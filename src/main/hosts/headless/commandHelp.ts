/** What `tizona`'s commands return to the shell that called them. */
export const exitCodes = {
  done: 0,
  /** `call`: the tool failed. `run`: the turn's outcome is `failed`. Any command: an unforeseen error. */
  failed: 1,
  usage: 2,
  endpoint: 3,
  approvalNeeded: 4,
  turnLimit: 5,
  cancelled: 130,
} as const

export const usage = `Usage:
  tizona [FOLDER] [--port N] [--no-open] [--log-level LEVEL]
      Starts the application on FOLDER.

  tizona run PROMPT --workspace DIR --endpoint URL --model NAME
      [--kind openai|ollama] [--mode MODE] [--toolset NAME] [--max-turns N] [--temperature T]
      [--profile auto|full|medium|compact|minimal] [--context-window TOKENS] [--continue ID|last] [--trust]
      Lets the model work in DIR and prints one JSON event a line. "-" reads the prompt from standard input.
      Without --kind the server is asked which protocol it speaks. TIZONA_API_KEY is sent to it as a bearer key.
      --profile says how much of the model's window instructions and tools may take (default: as its size suggests), and
      --context-window how large that is, where the server does not tell; a full window is made room in by itself.
      --continue goes on with a conversation of this folder; its toolset stays unless --toolset names another.
      With --mode plan nothing is changed and the text of the last event is the plan. To carry it out:
      tizona run "Carry out the plan above, step by step." --continue last --mode cautious …
      --trust starts, for this run, the MCP servers that the folder's .mcp.json or .tizona/mcp.json names, and says which;
      without it those that are not trusted in the application are left out.
      Naming --workspace is the grant for this run; what the mode would ask is refused, since nobody can answer.

  tizona call TOOL 'JSON' --workspace DIR [--toolset NAME] [--mode MODE] [--trust]
      Runs one tool and prints one JSON object: {ok, text, view, error: {code, message}, elapsed_ms}.

  tizona tools [--toolset NAME] [--format openai|text|markdown]
      Lists the tools of a toolset.

  tizona mcp --workspace DIR [--toolset NAME] [--mode MODE]
      Serves a toolset over the Model Context Protocol on standard input and output, until the input ends.
      What the mode would ask is put to the client's user where the client can ask (elicitation), and refused otherwise.

  tizona tour
      Plays the scripted tour on a throw-away copy and ends with the diff of what changed.

  tizona conversations --workspace DIR [--query WORDS]
      Lists the conversations of DIR, one JSON object a line.

  tizona export ID [--format markdown|json]
  tizona import FILE --workspace DIR
      Writes a conversation to standard output; adds one that was exported as JSON.

  tizona replay FILE --workspace DIR [--mode MODE]
      Plays the model's side of an exported conversation (JSON), so that its calls run again in DIR, and tells which results differ.

  tizona checkpoints list|show ID|restore ID --workspace DIR
      The states of DIR's files that were kept before changes; what has changed since one; back to one.
      A restore keeps the present first and prints its number as "before".

  tizona --help | --version

Every command accepts --log-level error|warn|info|debug. The log is logs/tizona.log in the user data folder.

Modes: safe (default), cautious, paranoid, yolo, plan; Rustant's spelling (Safe, Yolo) is understood.
Toolsets: blade (default), ultrasushitron, rustant, rusty.

Exit codes:
    0  done
    1  call: the tool failed; replay: a result differs; checkpoints restore: something was left as it is; run: the turn met an unforeseen error, a full disk for one; otherwise the command did
    2  the command line is wrong
    3  the endpoint cannot be reached or failed
    4  a call needed an approval and was refused
    5  the turn limit was reached, or the model made the same calls again and again
  130  cancelled (Ctrl+C ends the turn first)

Conversations of "run" are kept and show in the application. TIZONA_USER_DATA names another folder for them.`
