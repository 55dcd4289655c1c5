import { useState, type FormEvent } from 'react'
import type { GitIdentity } from '../../shared/git/git.ts'
import { toFailure } from '../../shared/errors.ts'
import { request } from '../platform/bridge/bridge.ts'
import { Button, Dialog, Select, TextField } from '../ui/index.ts'
import { useAskedIdentity, type AskedIdentity } from './dialogStores.ts'

/** Dialog for a missing author name and email address. */
export function IdentityDialog() {
  const { asked } = useAskedIdentity()
  return asked && <IdentityForm {...asked} />
}

const scopes: { value: GitIdentity['scope']; label: string }[] = [
  { value: 'repository', label: 'This repository' },
  { value: 'all', label: 'All repositories' },
]

function IdentityForm({ repository, answer }: AskedIdentity) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [scope, setScope] = useState<GitIdentity['scope']>('all')
  const [saving, setSaving] = useState(false)
  const [problem, setProblem] = useState<string>()
  const complete = name.trim() !== '' && email.trim() !== ''
  async function save(): Promise<void> {
    setSaving(true)
    setProblem(undefined)
    try {
      await request('git.setIdentity', { repository, name: name.trim(), email: email.trim(), scope })
      answer(true)
    } catch (error) {
      setSaving(false)
      setProblem(toFailure(error).message)
    }
  }
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (complete && !saving) void save()
  }
  return (
    <Dialog
      title="Set name and email"
      width={440}
      onClose={() => answer(false)}
      footer={
        <>
          <Button onClick={() => answer(false)}>Cancel</Button>
          <Button variant="primary" type="submit" form="git-identity" disabled={!complete || saving}>
            Set and continue
          </Button>
        </>
      }
    >
      <form id="git-identity" className="git-askpass" onSubmit={submit}>
        <p className="git-askpass-prompt">
          Git does not know your name and email address. They become part of each commit, which others can read.
        </p>
        <TextField
          label="Name"
          value={name}
          data-autofocus
          autoComplete="name"
          onChange={(event) => setName(event.target.value)}
        />
        <TextField
          label="Email address"
          value={email}
          autoComplete="email"
          error={problem}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Select
          label="Use for"
          options={scopes}
          value={scope}
          // The options are the scopes.
          onChange={(event) => setScope(event.target.value as GitIdentity['scope'])}
        />
      </form>
    </Dialog>
  )
}
