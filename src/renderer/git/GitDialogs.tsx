import { useState, type FormEvent } from 'react'
import { Button, Dialog, TextField } from '../ui/index.ts'
import { AskpassDialog } from './AskpassDialog.tsx'
import { CloneDialog } from './CloneDialog.tsx'
import { useGitOutput } from './failures.ts'
import { useTextPrompt, type TextPrompt } from './promptText.ts'

/** The dialogs of the git feature that are open. */
export function GitDialogs() {
  const pending = useTextPrompt((state) => state.pending)
  const output = useGitOutput((state) => state.shown)
  return (
    <>
      {pending && <TextPromptDialog key={pending.prompt.title} prompt={pending.prompt} answer={pending.answer} />}
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
      <AskpassDialog />
    </>
  )
}

interface TextPromptDialogProps {
  prompt: TextPrompt
  answer: (text: string | null) => void
}

function TextPromptDialog({ prompt, answer }: TextPromptDialogProps) {
  const [text, setText] = useState(prompt.initial ?? '')
  const [submitted, setSubmitted] = useState(false)
  const problem = prompt.problem(text)
  function submit(event: FormEvent): void {
    event.preventDefault()
    setSubmitted(true)
    if (problem === null) answer(text)
  }
  return (
    <Dialog
      title={prompt.title}
      width={440}
      onClose={() => answer(null)}
      footer={
        <>
          <Button onClick={() => answer(null)}>Cancel</Button>
          <Button variant="primary" type="submit" form="git-prompt">
            {prompt.button}
          </Button>
        </>
      }
    >
      <form id="git-prompt" onSubmit={submit}>
        <TextField
          label={prompt.label}
          value={text}
          data-autofocus
          autoComplete="off"
          error={problem !== null && (submitted || text !== '') ? problem : undefined}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  )
}
