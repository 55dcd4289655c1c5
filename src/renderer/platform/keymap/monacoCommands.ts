export interface EditorCommand {
  id: string
  label: string
  /** Its default shortcuts in canonical notation. */
  keys: readonly string[]
}

type LoadCommands = () => Promise<readonly EditorCommand[]>

let load: LoadCommands = async () => []

/** Registers the provider of Monaco's commands, which loads Monaco. */
export function provideEditorCommands(source: LoadCommands): void {
  load = source
}

export const editorCommands: LoadCommands = () => load()
