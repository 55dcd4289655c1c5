import { randomBytes, randomUUID } from 'node:crypto'
import type { GitCredentialRequest } from '../../../shared/git/git.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { log } from '../../base/log/log.ts'
import { createAskpassChannel, type AskpassChannel } from './askpassChannel.ts'

/** Prompts from git and ssh for user names, passwords and the like. The window shows them; nothing is stored. */
export interface Credentials {
  /** Returns the variables that make git and ssh send their prompts here while an operation runs. Empty on Windows. */
  open(operation: string): Promise<Record<string, string>>
  /** Answers further prompts of an operation like earlier ones of the same text, because the server accepted them. */
  accepted(operation: string): void
  /** Ends an operation's prompts. */
  close(operation: string): void
  /** Open prompts, for a window that was reloaded. */
  pending(): GitCredentialRequest[]
  /** @param answer null: the user cancelled */
  answer(id: string, answer: string | null): void
  dispose(): Promise<void>
}

interface CredentialsDeps {
  userData: string
  /** Receives the open prompts when they have changed. */
  onChanged(requests: GitCredentialRequest[]): void
}

export function createCredentials({ userData, onChanged }: CredentialsDeps): Credentials {
  /** Operations by the token of their processes. */
  const tokens = new Map<string, string>()
  /** The answers in an operation, by prompt. */
  const given = new Map<string, Map<string, string>>()
  /** Those that a server has accepted. */
  const accepted = new Map<string, ReadonlyMap<string, string>>()
  const questions = new Map<string, { request: GitCredentialRequest; reply(answer: string | null): void }>()
  let channel: Promise<AskpassChannel> | undefined

  const pending = () => [...questions.values()].map(({ request }) => request)

  function settle(id: string, answer: string | null): void {
    const question = questions.get(id)
    if (!question) return
    questions.delete(id)
    question.reply(answer)
    onChanged(pending())
  }

  const start = () =>
    createAskpassChannel(userData, ({ token, prompt, reply }) => {
      const operation = tokens.get(token)
      if (operation === undefined) return reply(null)
      const known = accepted.get(operation)?.get(prompt)
      if (known !== undefined) return reply(known)
      const request = { id: randomUUID(), operation, ...visiblePrompt(prompt) }
      const answer = (text: string | null): void => {
        if (text !== null) given.set(operation, (given.get(operation) ?? new Map()).set(prompt, text))
        reply(text)
      }
      questions.set(request.id, { request, reply: answer })
      onChanged(pending())
    })

  /** Without the helper, git reports that it cannot prompt. */
  async function startProgram(): Promise<string | undefined> {
    try {
      return (await (channel ??= start())).program
    } catch (error) {
      channel = undefined
      log.error('git cannot ask for credentials', error)
      return undefined
    }
  }

  return {
    async open(operation): Promise<Record<string, string>> {
      // Git for Windows has its own dialog.
      if (process.platform === 'win32') return {}
      const program = await startProgram()
      if (program === undefined) return {}
      const token = randomBytes(16).toString('hex')
      tokens.set(token, operation)
      return {
        GIT_ASKPASS: program,
        SSH_ASKPASS: program,
        // Without a terminal, ssh uses the helper even without a display.
        SSH_ASKPASS_REQUIRE: 'force',
        TIZONA_ASKPASS_TOKEN: token,
      }
    },
    accepted(operation) {
      // A copy, because an answer to a later prompt may be refused.
      accepted.set(operation, new Map(given.get(operation)))
    },
    close(operation) {
      given.delete(operation)
      accepted.delete(operation)
      for (const [token, each] of tokens) if (each === operation) tokens.delete(token)
      for (const [id, { request }] of questions) if (request.operation === operation) settle(id, null)
    },
    pending,
    answer: settle,
    async dispose() {
      for (const id of questions.keys()) settle(id, null)
      await (await channel)?.close()
    },
  }
}

/** The server controls the prompt text, so hidden characters are made visible. */
function visiblePrompt(prompt: string): Pick<GitCredentialRequest, 'prompt' | 'kind' | 'secret' | 'subject'> {
  const { subject, ...about } = describePrompt(prompt)
  return { ...about, prompt: visibleText(prompt.trim()), subject: subject === null ? null : visibleText(subject) }
}

/** Determines the subject of a prompt from git (credential.c) or ssh (readpass.c, sshconnect.c). */
export function describePrompt(prompt: string): Pick<GitCredentialRequest, 'kind' | 'secret' | 'subject'> {
  // ssh marks the texts of a server, which can look like any other prompt, and the answer goes to that server.
  const server = /^\([^\s@]+@([^\s)]+)\) /.exec(prompt)?.[1]
  if (server !== undefined) return { kind: 'other', secret: true, subject: server }
  const user = /^Username for '(.+)'/.exec(prompt)?.[1]
  if (user !== undefined) return { kind: 'user_name', secret: false, subject: hostOf(user) }
  const password = /^Password for '(.+)'/.exec(prompt)?.[1] ?? /^(\S+)'s password/.exec(prompt)?.[1]
  if (password !== undefined) return { kind: 'password', secret: true, subject: hostOf(password) }
  const key = /^Enter passphrase for (?:key )?'?([^':]+)/i.exec(prompt)?.[1]
  if (key !== undefined) return { kind: 'passphrase', secret: true, subject: key }
  // When it signs a commit, ssh-keygen does not name the key.
  if (/^Enter passphrase: *$/i.test(prompt)) return { kind: 'passphrase', secret: true, subject: null }
  if (/\(yes\/no/.test(prompt))
    return { kind: 'confirm', secret: false, subject: /host '([^' (]+)/.exec(prompt)?.[1] ?? null }
  return { kind: 'other', secret: true, subject: null }
}

/** Returns the host of a URL or of `user@host`. */
function hostOf(text: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^/]+)/i.exec(text)?.[1] ?? text.replace(/^[^@]*@/, '')
}
