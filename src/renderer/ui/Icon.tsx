interface IconProps {
  /** Name of a codicon, e.g. `search`: https://microsoft.github.io/vscode-codicons/dist/codicon.html */
  name: string
  className?: string
  /** CSS color, usually a token. */
  color?: string
  /** Label for screen readers. Without it the icon is decorative. */
  label?: string
  spin?: boolean
}

export function Icon({ name, className = '', color, label, spin = false }: IconProps) {
  const style = color ? { color } : undefined
  const classes = `ui-icon codicon codicon-${name} ${spin ? 'codicon-modifier-spin' : ''} ${className}`
  return label ? (
    <span className={classes} style={style} role="img" aria-label={label} />
  ) : (
    <span className={classes} style={style} aria-hidden="true" />
  )
}
