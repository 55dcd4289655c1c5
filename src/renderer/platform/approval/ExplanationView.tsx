import type { ReactNode } from 'react'
import type { CommandExplanation, Explanation, Verdict } from '../../../shared/tools/explanation.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { CommandText, Icon } from '../../ui/index.ts'
import './explanation.css'

const icons: Readonly<Record<Verdict, string>> = { allow: 'pass', ask: 'question', refuse: 'circle-slash' }
const labels: Readonly<Record<Verdict, string>> = { allow: 'Runs', ask: 'Needs approval', refuse: 'Refused' }

/** Which rule decides for each command of a line, and why. Empty if the line cannot be split into commands. */
export function CommandExplanations({ explanation: { commands } }: { explanation: Explanation }) {
  if (commands.length === 0) return null
  return (
    <ul className="explanation" aria-label="Rules for each command">
      {commands.map((command, index) => (
        <ExplanationRow key={index} explanation={command} />
      ))}
    </ul>
  )
}

function ExplanationRow({ explanation: { command, verdict, why } }: { explanation: CommandExplanation }) {
  return (
    <li className={`explanation-row explanation-${verdict}`} data-verdict={verdict}>
      <Icon name={icons[verdict]} label={labels[verdict]} />
      <code>
        <CommandText text={visibleText(command)} />
      </code>
      <span>{withCode(visibleText(why))}</span>
    </li>
  )
}

/** Renders text between backticks as code. */
export function withCode(text: string): ReactNode[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))
}
