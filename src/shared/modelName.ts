/** Whether two names mean the same model. Ollama adds `:latest` to a name without a tag. */
export function isSameModel(name: string, other: string): boolean {
  return name === other || `${name}:latest` === other || name === `${other}:latest`
}
