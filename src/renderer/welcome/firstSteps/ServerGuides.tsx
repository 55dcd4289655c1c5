import { CopyButton } from '../../platform/CopyButton.tsx'
import { useFirstSteps } from './firstStepsStore.ts'
import { serverGuides, type ServerGuide } from './serverGuides.ts'

function Line({ label, line, server }: { label: string; line: ServerGuide['start']; server: string }) {
  return (
    <div className="server-guide-line">
      <span className="server-guide-label">{label}</span>
      {'command' in line ? (
        <>
          <code>{line.command}</code>
          <CopyButton text={line.command} label={`Copy the command: ${label} ${server}`} />
        </>
      ) : (
        <span>{line.text}</span>
      )}
    </div>
  )
}

/** For each model server, how to install and start it. */
export function ServerGuides() {
  const platform = useFirstSteps((state) => state.machine?.platform)
  return (
    <ul className="server-guides">
      {serverGuides(platform ?? 'linux').map(({ name, suits, install, start }) => (
        <li key={name}>
          <h4>{name}</h4>
          <p>{suits}</p>
          <Line label="Install" line={install} server={name} />
          <Line label="Start" line={start} server={name} />
        </li>
      ))}
    </ul>
  )
}
