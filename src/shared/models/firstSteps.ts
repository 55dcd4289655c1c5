/** This computer, to compare model sizes with. */
export interface Machine {
  /** Memory in bytes, without graphics memory. */
  memory: number
  /** As in `process.platform`. */
  platform: string
}

/** Progress of a model download by Ollama. */
export interface ModelDownload {
  endpointId: string
  model: string
  /** Current step in Ollama's own words, e.g. "verifying sha256 digest". */
  status: string
  /** Bytes of the layers known so far. Both are 0 until the first layer begins. */
  completed: number
  total: number
  /** Set in the last report. `failure`: why it failed; absent if it completed or was cancelled. */
  ended?: { failure?: string }
}

/** What a model did when asked to call a tool. */
export interface ModelCheck {
  /**
   * `native`: called it through the server's interface. `text`: wrote the call as text, for example because the server
   * accepts no tools for this model. `guided`: too small for calls, but it fills in the steps of a guided turn. `cut`:
   * its answer reached the limit of tokens before a call, for example while it was thinking. `none`: did none of these.
   */
  calls: 'native' | 'text' | 'guided' | 'cut' | 'none'
  /** How to make the server accept tools, if it dropped them. */
  hint?: string
  /** Context size of requests in tokens, if known. */
  contextWindow?: number
  /** Milliseconds until the first text or tool call, including loading the model. */
  firstAnswerMs: number
  totalMs: number
}
