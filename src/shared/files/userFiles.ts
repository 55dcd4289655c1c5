// Files in the user data folder that the user edits as text.

export const keybindingsFile = 'keybindings.json'

/** Pure: whether a name is `keybindings.json` or a VS Code snippet file directly in `snippets/`. */
export function isUserFile(file: string): boolean {
  if (file === keybindingsFile) return true
  return /^snippets\/[\w+#-][\w+# .-]{0,99}$/.test(file) && (file.endsWith('.json') || file.endsWith('.code-snippets'))
}

export interface UserFileText {
  text: string
  exists: boolean
}
