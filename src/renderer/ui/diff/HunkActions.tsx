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

/** Texts of the navigation, by what the hunks are. */
const navigationTexts = {
  change: {
    none: 'No changes',
    count: (total: number) => plural(total, 'change'),
    position: (index: number, total: number) => `Change ${index + 1} of ${total}`,
    previous: 'Previous change',
    next: 'Next change',
  },
  conflict: {
    none: 'No conflicts',
    count: (total: number) => plural(total, 'conflict'),
    position: (index: number, total: number) => `Conflict ${index + 1} of ${total}`,
    previous: 'Previous conflict',
    next: 'Next conflict',
  },
}

interface HunkNavigationProps {
  total: number
  /** Position of the current hunk, from 0; -1 between hunks. */
  index: number
  kind?: keyof typeof navigationTexts
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
  const { total, index, kind = 'change', note = '', short = false, shortcuts, onStep } = props
  const texts = navigationTexts[kind]
  const position =
    total === 0
      ? (props.none ?? texts.none)
      : index < 0
        ? texts.count(total)
        : [short ? `${index + 1} of ${total}` : texts.position(index, total), note].filter(Boolean).join(' ')
  return (
    <>
      <span className="diff-position" role="status">
        {position}
      </span>
      <IconButton
        ref={props.firstButton}
        icon="arrow-up"
        label={texts.previous}
        shortcut={shortcuts?.previous}
        disabled={total === 0}
        onClick={() => onStep(-1)}
      />
      <IconButton
        icon="arrow-down"
        label={texts.next}
        shortcut={shortcuts?.next}
        disabled={total === 0}
        onClick={() => onStep(1)}
      />
    </>
  )
}
