/** Pure: the name of a language for people. Monaco names some in lower case first, such as `clojure` before `Clojure`. */
export function languageName({ id, aliases = [] }: { id: string; aliases?: readonly string[] }): string {
  return aliases.find((alias) => /[A-Z]/.test(alias)) ?? aliases[0] ?? id
}
