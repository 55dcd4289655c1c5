import { VisibleCode } from './VisibleCode.tsx'

/** Maximum length of a command with elements of its own for words, of which a long one has too many. */
const maxMarkedLength = 20_000

/**
 * Renders a command. An option stays whole at the end of a line: browsers break after hyphens, which would make
 * `--force` look like two words. Hidden characters are marked.
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
