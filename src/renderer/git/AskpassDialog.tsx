import { useState, type FormEvent } from 'react'
import type { GitCredentialRequest } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { attempt } from '../platform/notices.ts'
import { Button, Dialog, TextField } from '../ui/index.ts'
import { useCredentialRequests } from './dialogStores.ts'

const titles: Record<GitCredentialRequest['kind'], (subject: string | null) => string> = {
  user_name: (subject) => (subject === null ? 'User name for the remote' : `User name for ${subject}`),
  password: (subject) => (subject === null ? 'Password for the remote' : `Password for ${subject}`),
  passphrase: (subject) => (subject === null ? 'Passphrase for the key' : `Passphrase for ${subject}`),
  confirm: (subject) =>
    subject === null ? 'Confirm the connection to the remote' : `Confirm the connection to ${subject}`,
  other: (subject) => (subject === null ? 'Input required' : `The server ${subject} asks for input`),
}

const labels: Record<GitCredentialRequest['kind'], string> = {
  user_name: 'User name',
  password: 'Password or access token',
  passphrase: 'Passphrase',
  confirm: 'Answer',
  other: 'Answer',
}

/** Dialog that answers the oldest prompt of git or ssh. */
export function AskpassDialog() {
  const [asked] = useCredentialRequests((state) => state.requests)
  return asked && <Question key={asked.id} asked={asked} />
}

function Question({ asked }: { asked: GitCredentialRequest }) {
  const [answer, setAnswer] = useState('')
  const [sent, setSent] = useState(false)
  const { id, kind, secret, subject, prompt, machine } = asked
  const reply = (text: string | null) => {
    // Main closes the dialog when it sends the remaining prompts.
    if (sent) return
    setSent(true)
    attempt(() => request('git.answerCredential', { id, answer: text }))
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    reply(answer)
  }
  return (
    <Dialog
      title={machine === undefined ? titles[kind](subject) : `${titles[kind](subject)} (asked by ${machine})`}
      width={440}
      onClose={() => reply(null)}
      footer={
        <>
          <Button onClick={() => reply(null)}>Cancel</Button>
          {kind === 'confirm' ? (
            <>
              <Button onClick={() => reply('no')}>No</Button>
              <Button variant="primary" onClick={() => reply('yes')}>
                Yes
              </Button>
            </>
          ) : (
            <Button variant="primary" type="submit" form="git-askpass" disabled={answer === '' || sent}>
              Continue
            </Button>
          )}
        </>
      }
    >
      <form id="git-askpass" className="git-askpass" onSubmit={submit}>
        <p className="git-askpass-prompt">{prompt.trim()}</p>
        {kind !== 'confirm' && (
          <TextField
            label={labels[kind]}
            type={secret ? 'password' : 'text'}
            value={answer}
            data-autofocus
            autoComplete="off"
            hint="Tizona passes it to Git or SSH and does not store it. Your credential helper may."
            onChange={(event) => setAnswer(event.target.value)}
          />
        )}
      </form>
    </Dialog>
  )
}
