import type { UnusedContribution } from '../../shared/extensions/extensions.ts'
import { visibleText } from '../../shared/text/visibleText.ts'
import { plural } from '../../shared/text/plural.ts'

/** The parts of an extension or plug-in that have no effect, with the reasons. */
export function UnusedParts({ parts }: { parts: readonly UnusedContribution[] }) {
  if (parts.length === 0) return null
  return (
    <details className="extension-unused">
      <summary>{plural(parts.length, 'part')} not used</summary>
      <dl>
        {parts.map((part, index) => (
          <div key={`${index}-${part.name}`}>
            <dt>{visibleText(part.name)}</dt>
            <dd>{visibleText(part.reason)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
