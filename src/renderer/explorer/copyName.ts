/** Returns an unused name for a copy: `a copy.txt` for `a.txt`, then `a copy 2.txt`. */
export function copyName(name: string, taken: ReadonlySet<string>): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let number = 1; ; number++) {
    const candidate = `${stem} copy${number === 1 ? '' : ` ${number}`}${ending}`
    if (!taken.has(candidate)) return candidate
  }
}
