import { Icon } from './Icon.tsx'
import { fileIcon } from './fileIcon.ts'
import { useFileIconTheme } from './fileIconTheme.ts'

interface FileIconProps {
  path: string
  kind?: 'file' | 'folder'
  expanded?: boolean
  /** CSS color of Tizona's own icon. Default: that of the file's kind. */
  color?: string | undefined
}

/** Icon of a file or folder: of the file icon theme if the user chose one, otherwise one of Tizona's own. */
export function FileIcon({ path, kind = 'file', expanded = false, color }: FileIconProps) {
  const iconOf = useFileIconTheme((state) => state.iconOf)
  if (!iconOf) {
    if (kind === 'file') {
      const own = fileIcon(path)
      return <Icon name={own.icon} color={color ?? own.color} />
    }
    return <Icon name={expanded ? 'folder-opened' : 'folder'} color={color ?? 'var(--color-text-muted)'} />
  }
  const themed = iconOf({ path, kind, expanded })
  // Themes without folder icons show folders by their arrows alone. Names of files stay aligned.
  if (themed === null && kind === 'folder') return null
  if (themed === null || themed === 'loading') return <span className="ui-icon ui-file-icon" aria-hidden="true" />
  if ('image' in themed)
    // An image as a background cannot run scripts or load anything.
    return (
      <span className="ui-icon ui-file-icon" style={{ backgroundImage: `url("${themed.image}")` }} aria-hidden="true" />
    )
  const { character, color: own, font, size } = themed
  const style = { fontFamily: `"${font}"`, color: own, fontSize: `${(size ?? 100) / 100}em` }
  return (
    <span className="ui-icon ui-file-icon" style={style} aria-hidden="true">
      {character}
    </span>
  )
}
