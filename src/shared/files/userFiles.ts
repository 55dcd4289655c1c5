// Files of the user data folder that the user edits as text.

/** The shortcuts of the user. */
export const keybindingsFile = 'keybindings.json'

/** Pure: whether a name is `keybindings.json`, or a snippet file as in VS Code directly in `snippets/`. */
export function isUserFile(file: string): boolean {
  if (file === keybindingsFile) return true
  return /^snippets\/[\w+#-][\w+# .-]{0,99}$/.test(file) && (file.endsWith('.json') || file.endsWith('.code-snippets'))
}

export interface UserFileText {
  text: string
  exists: boolean
}
