import { VisibleCode } from './VisibleCode.tsx'

/**
 * Renders a command. An option stays whole at the end of a line: browsers break after hyphens, which would make
 * `--force` look like two words. Hidden characters are marked.
 */
export function CommandText({ text }: { text: string }) {
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
