import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { GitCredentialRequest } from '../../shared/git/git.ts'
import { testMain, type TestMain } from '../testing/testMain.ts'
import { AskpassDialog } from './AskpassDialog.tsx'
import { followCredentials } from './dialogStores.ts'

let main: TestMain
let stop = () => {}
const asked: GitCredentialRequest = {
  id: 'q1',
  operation: 'o1',
  kind: 'password',
  secret: true,
  subject: 'git.example.org',
  prompt: "Password for 'https://ada@git.example.org':",
}

beforeEach(() => {
  main = testMain()
  // The test DOM has no modal dialogs.
  HTMLDialogElement.prototype.showModal ??= function show(this: HTMLDialogElement) {
    this.open = true
  }
  stop = followCredentials()
  render(<AskpassDialog />)
})
afterEach(() => {
  act(() => main.emit('git.credentialsChanged', []))
  stop()
  cleanup()
})
const answers = () =>
  main.requests.filter(({ method }) => method === 'git.answerCredential').map(({ params }) => params)

it('a password is hidden, its host is named, and it is sent once', async () => {
  act(() => main.emit('git.credentialsChanged', [asked]))
  expect(screen.getByRole('heading', { name: 'Password for git.example.org' })).toBeTruthy()
  const field = screen.getByLabelText('Password or access token')
  expect(field.getAttribute('type')).toBe('password')
  fireEvent.change(field, { target: { value: 'secret' } })
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
  fireEvent.click(screen.getByRole('button', { name: 'Continue' }))
  await waitFor(() => expect(answers()).toEqual([{ id: 'q1', answer: 'secret' }]))
  act(() => main.emit('git.credentialsChanged', []))
  expect(screen.queryByRole('heading')).toBeNull()
})

it('the passphrase of an SSH key names its file, and a new host shows its fingerprint before it is trusted', async () => {
  const passphrase: GitCredentialRequest = { ...asked, kind: 'passphrase', subject: '/home/ada/.ssh/id_ed25519' }
  act(() => main.emit('git.credentialsChanged', [passphrase]))
  expect(screen.getByRole('dialog').textContent).toContain('/home/ada/.ssh/id_ed25519')
  expect(screen.getByLabelText('Passphrase').getAttribute('type')).toBe('password')
  const host: GitCredentialRequest = {
    ...asked,
    id: 'q3',
    kind: 'confirm',
    secret: false,
    prompt: "The authenticity of host 'example.org' can't be established.\nED25519 key fingerprint is SHA256:abc.",
  }
  act(() => main.emit('git.credentialsChanged', [host]))
  expect(screen.getByRole('dialog').textContent).toContain('SHA256:abc')
  fireEvent.click(screen.getByRole('button', { name: 'No' }))
  await waitFor(() => expect(answers()).toHaveLength(1))
  expect(answers()[0]).toMatchObject({ id: 'q3' })
})

it('Cancel answers with nothing, and the next question follows', async () => {
  const next: GitCredentialRequest = {
    ...asked,
    id: 'q2',
    kind: 'confirm',
    secret: false,
    prompt: 'Continue (yes/no)?',
  }
  act(() => main.emit('git.credentialsChanged', [asked, next]))
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(answers()).toEqual([{ id: 'q1', answer: null }]))
  act(() => main.emit('git.credentialsChanged', [next]))
  fireEvent.click(screen.getByRole('button', { name: 'Yes' }))
  await waitFor(() => expect(answers().at(-1)).toEqual({ id: 'q2', answer: 'yes' }))
})
