/** Words of a comment that stands for unchanged code, such as "... existing code ...". */
const elisionWords = /\b(?:existing|rest|unchanged|same|remaining|previous|other|code)\b/i

/** Whether a line stands for code that a model left out. In Python, a bare `...` is a statement. */
export function isElision(line: string, path: string): boolean {
  const text = line.trim()
  if (/^(?:\.{3}|…)$/.test(text)) return !/\.pyi?$/.test(path)
  const mark = /^(?:\/\/|\/\*|#|--|<!--|\{\/\*|;|%)/.exec(text)?.[0]
  const comment = mark === undefined ? undefined : text.slice(mark.length).trimStart()
  return comment !== undefined && /\.{3}|…/.test(comment) && (/^\W*$/.test(comment) || elisionWords.test(comment))
}
