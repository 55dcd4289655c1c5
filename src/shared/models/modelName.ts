/** Whether two names mean the same model. Ollama adds `:latest` to a name without a tag. */
export function isSameModel(name: string, other: string): boolean {
  return name === other || `${name}:latest` === other || name === `${other}:latest`
}

/**
 * Returns the name that people see of a model. llama-cpp-python's server, and a llama-server without `--alias`, call it by
 * the path of its file.
 */
export function shownModelName(model: string): string {
  return /\.gguf$/i.test(model) ? (model.split(/[\\/]/).at(-1) ?? model) : model
}

/** Returns the names by which the family of a model is known: of the model behind an alias, and the alias. */
export function modelNames(model: string, originalName: string | undefined): string {
  return originalName === undefined ? model : `${originalName} ${model}`
}

/** Reads the size in the name of a model: "qwen2.5-coder:0.5b", "SmolLM2-135M-Instruct". */
export function parametersInName(model: string): number | undefined {
  const size = /(?:^|[^a-z0-9.])(\d{1,4}(?:\.\d{1,3})?)(m|b)(?![a-z0-9])/i.exec(model)
  const [, number, unit] = size ?? []
  return number === undefined ? undefined : Number(number) * (unit?.toLowerCase() === 'b' ? 1e9 : 1e6)
}
