import { VisibleCode } from './VisibleCode.tsx'

/** Maximum length of a command whose words get their own elements. A longer one would have too many. */
const maxMarkedLength = 20_000

/**
 * Renders a command. Keeps options in one piece at line breaks: browsers break after hyphens, which would make
 * `--force` look like two words. Marks hidden characters.
 */
export function CommandText({ text }: { text: string }) {
  if (text.length > maxMarkedLength) return <VisibleCode text={text} isCommand />
  return text.split(/([ \t\n]+)/).map((part, index) =>
    part.includes('-') ? (
      <span key={index} className="ui-command-word">
        <VisibleCode text={part} isCommand />
      </span>
    ) : (
      <VisibleCode key={index} text={part} isCommand />
    ),
  )
}
