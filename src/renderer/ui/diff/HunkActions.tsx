import type { Ref } from 'react'
import { plural } from '../../../shared/text/plural.ts'
import { Button, IconButton } from '../index.ts'
import './diff.css'

/** An action on a hunk, or on a whole diff. */
export interface HunkAction {
  /** A verb. With `icon`, the accessible name of an icon button. */
  label: string
  icon?: string
  /** Tooltip. Default: the label. */
  title?: string
  shortcut?: string | undefined
  primary?: boolean
  disabled?: boolean
  run: () => void
}

interface HunkActionsProps {
  actions: readonly HunkAction[]
  quiet?: boolean
  /** -1 for a row that is not selected in its list. */
  tabIndex?: number
}

/** The actions of a hunk: in its bar in the editor, in git's peek view, and above a diff. */
export function HunkActions({ actions, quiet = false, tabIndex }: HunkActionsProps) {
  return actions.map(({ label, icon, title = label, shortcut, primary = false, disabled = false, run }) =>
    icon === undefined ? (
      <Button
        key={label}
        size="small"
        variant={primary ? 'primary' : quiet ? 'ghost' : 'default'}
        title={shortcut === undefined ? title : `${title} (${shortcut})`}
        disabled={disabled}
        tabIndex={tabIndex}
        onClick={run}
      >
        {label}
      </Button>
    ) : (
      <IconButton
        key={label}
        icon={icon}
        label={label}
        shortcut={shortcut}
        disabled={disabled}
        tabIndex={tabIndex}
        onClick={run}
      />
    ),
  )
}

interface HunkNavigationProps {
  total: number
  /** Position of the current hunk, from 0; -1 between hunks. */
  index: number
  noun?: string
  /** Text shown if there are no hunks. */
  none?: string
  /** Appended to the position, for example "(staged)". */
  note?: string
  /** Whether to show only the numbers. */
  short?: boolean
  shortcuts?: { previous: string | undefined; next: string | undefined }
  firstButton?: Ref<HTMLButtonElement>
  onStep: (step: 1 | -1) => void
}

/** The position among the hunks, with buttons for the previous and next one. */
export function HunkNavigation(props: HunkNavigationProps) {
  const { total, index, noun = 'change', none = `No ${noun}s`, note = '', short = false, shortcuts, onStep } = props
  const name = noun.charAt(0).toUpperCase() + noun.slice(1)
  const position =
    total === 0
      ? none
      : index < 0
        ? plural(total, noun)
        : `${short ? '' : `${name} `}${index + 1} of ${total}${note && ` ${note}`}`
  return (
    <>
      <span className="diff-position" role="status">
        {position}
      </span>
      <IconButton
        ref={props.firstButton}
        icon="arrow-up"
        label={`Previous ${noun}`}
        shortcut={shortcuts?.previous}
        disabled={total === 0}
        onClick={() => onStep(-1)}
      />
      <IconButton
        icon="arrow-down"
        label={`Next ${noun}`}
        shortcut={shortcuts?.next}
        disabled={total === 0}
        onClick={() => onStep(1)}
      />
    </>
  )
}
