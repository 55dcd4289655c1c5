import { useState } from 'react'
import { request } from '../../platform/bridge/bridge.ts'
import { attempt } from '../../platform/notices.ts'

/** The commands that have a built-in read-only rule, loaded when the user opens the list. */
export function BuiltInRules() {
  const [commands, setCommands] = useState<readonly string[] | null>(null)
  return (
    <details
      className="endpoint-advanced"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open && commands === null)
          attempt(
            async () => setCommands(await request('approvals.builtIn', {})),
            'The built-in rules could not be listed',
          )
      }}
    >
      <summary>Built-in read-only commands</summary>
      <p className="settings-text">
        They run without approval in the modes Safe, Cautious and Plan, with options that only read, and only on files
        of the open folder that are not secret.
      </p>
      {commands && (
        <ul className="rules-built-in" aria-label="Built-in read-only commands">
          {commands.map((command) => (
            <li key={command}>
              <code>{command}</code>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
