/** Creates the ids of a file's symbols in order; repeated ids get the suffix `~2`, `~3`. */
export function createSymbolIds(path: string): (qualified: string, kind: string) => string {
  const used = new Map<string, number>()
  return (qualified, kind) => {
    const id = `${path}::${qualified}#${kind}`
    const times = (used.get(id) ?? 0) + 1
    used.set(id, times)
    return times === 1 ? id : `${id}~${times}`
  }
}
