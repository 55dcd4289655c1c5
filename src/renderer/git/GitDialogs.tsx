import { Button, Dialog } from '../ui/index.ts'
import { AskpassDialog } from './AskpassDialog.tsx'
import { CloneDialog } from './CloneDialog.tsx'
import { useGitOutput } from './dialogStores.ts'
import { IdentityDialog } from './IdentityDialog.tsx'
import './gitDialogs.css'

export function GitDialogs() {
  const output = useGitOutput((state) => state.shown)
  return (
    <>
      <CloneDialog />
      {output && (
        <Dialog
          title={output.title}
          width={720}
          textOnly
          onClose={() => useGitOutput.setState({ shown: null })}
          footer={<Button onClick={() => useGitOutput.setState({ shown: null })}>Close</Button>}
        >
          <pre className="git-output">{output.output}</pre>
        </Dialog>
      )}
      <IdentityDialog />
      <AskpassDialog />
    </>
  )
}
