import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { Icon } from './Icon.tsx'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: 'default' | 'primary' | 'danger' | 'ghost'
  size?: 'small' | 'medium' | 'large'
  icon?: string
  children?: ReactNode
  ref?: Ref<HTMLButtonElement>
}

export function Button({
  variant = 'default',
  size = 'medium',
  icon,
  children,
  className = '',
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button type={type} className={`ui-button ui-button-${variant} ui-button-${size} ${className}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface IconButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> {
  icon: string
  /** Accessible name and tooltip. */
  label: string
  /** Keys shown in the tooltip, e.g. from `shortcutOf('file.save')`. */
  shortcut?: string
  ref?: Ref<HTMLButtonElement>
}

export function IconButton({ icon, label, shortcut, className = '', type = 'button', ...rest }: IconButtonProps) {
  const title = shortcut ? `${label} (${shortcut})` : label
  return (
    <button type={type} className={`ui-icon-button ${className}`} aria-label={label} title={title} {...rest}>
      <Icon name={icon} />
    </button>
  )
}

interface ToggleButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: string
  /** CSS color of the icon, usually a token. */
  iconColor?: string
  pressed: boolean
}

/** A button in a view's bar that toggles a part of the view. */
export function ToggleButton({ icon, iconColor, pressed, children, ...rest }: ToggleButtonProps) {
  return (
    <button type="button" className="ui-toggle-button" aria-pressed={pressed} {...rest}>
      <Icon name={icon} color={iconColor} />
      {children}
    </button>
  )
}
