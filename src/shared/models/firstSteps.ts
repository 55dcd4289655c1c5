/** The machine that model sizes are compared with. */
export interface Machine {
  /** Memory of the machine in bytes. Graphics memory is not included. */
  memory: number
  /** As in `process.platform`. */
  platform: string
}

/** Progress of a model download by Ollama. */
export interface ModelDownload {
  endpointId: string
  model: string
  /** Current step of Ollama, in its own words, e.g. "verifying sha256 digest". */
  status: string
  /** Bytes of the parts known so far. Both are 0 until the first part begins. */
  completed: number
  total: number
  /** Set in the last report. `failure`: why it failed; absent if it was completed or cancelled. */
  ended?: { failure?: string }
}

/** What a model did when it had to call a tool. */
export interface ModelCheck {
  /**
   * `native`: called it through the server's interface. `text`: wrote the call as text, for example because the server
   * accepts no tools for this model. `none`: answered without calling it.
   */
  calls: 'native' | 'text' | 'none'
  /** Context size in tokens that requests use, if known. */
  contextWindow?: number
  /** Milliseconds until the first text or call, including loading the model. */
  firstAnswerMs: number
  totalMs: number
}

/** A first message that suits the open folder. */
export interface SuggestedMessage {
  /** Name of a codicon. */
  icon: string
  text: string
}
