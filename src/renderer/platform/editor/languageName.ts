/**
 * Pure: the display name of a language. For some, Monaco lists a lower-case alias first, such as `clojure` before
 * `Clojure`.
 */
export function languageName({ id, aliases = [] }: { id: string; aliases?: readonly string[] }): string {
  return aliases.find((alias) => /[A-Z]/.test(alias)) ?? aliases[0] ?? id
}
