import { useState, type FormEvent } from 'react'
import { useTextPrompt, type TextPrompt } from '../platform/conversation/promptText.ts'
import { Button, Dialog, TextField } from '../ui/index.ts'

/** Dialog that `promptText()` opens. */
export function TextPromptDialog() {
  const pending = useTextPrompt((state) => state.pending)
  return pending && <Prompt key={pending.prompt.title} prompt={pending.prompt} answer={pending.answer} />
}

interface PromptProps {
  prompt: TextPrompt
  answer: (text: string | null) => void
}

function Prompt({ prompt, answer }: PromptProps) {
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
          <Button variant="primary" type="submit" form="text-prompt">
            {prompt.button}
          </Button>
        </>
      }
    >
      <form id="text-prompt" onSubmit={submit}>
        <TextField
          label={prompt.label}
          type={prompt.password === true ? 'password' : 'text'}
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
