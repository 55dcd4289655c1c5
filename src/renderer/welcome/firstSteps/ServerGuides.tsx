import { serverGuides, type ServerGuide } from '../../../shared/models/serverGuides.ts'
import { CopyButton } from '../../platform/CopyButton.tsx'
import { useFirstSteps } from './firstStepsStore.ts'

function Line({ label, line, copyLabel }: { label: string; line: ServerGuide['start']; copyLabel: string }) {
  return (
    <div className="server-guide-line">
      <span className="server-guide-label">{label}</span>
      {'command' in line ? (
        <>
          <code>{line.command}</code>
          <CopyButton text={line.command} label={copyLabel} />
        </>
      ) : (
        <span>{line.text}</span>
      )}
    </div>
  )
}

/** How to install and start each model server. */
export function ServerGuides() {
  const platform = useFirstSteps((state) => state.machine?.platform)
  return (
    <ul className="server-guides">
      {serverGuides(platform ?? 'linux').map(({ name, suits, install, start }) => (
        <li key={name}>
          <h4>{name}</h4>
          <p>{suits}</p>
          <Line label="Install" line={install} copyLabel={`Copy the command that installs ${name}`} />
          <Line label="Start" line={start} copyLabel={`Copy the command that starts ${name}`} />
        </li>
      ))}
    </ul>
  )
}
