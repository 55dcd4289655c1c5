/** `ok`: found and usable. `missing`: optional and not there. `wrong`: something that Tizona needs does not work. */
export interface Finding {
  group: 'Program' | 'Model servers' | 'Plug-ins' | 'Folder' | 'Debuggers' | 'Notebooks' | 'Language servers'
  name: string
  state: 'ok' | 'missing' | 'wrong'
  detail: string
  /** The command or step that mends it. */
  fix?: string
}
