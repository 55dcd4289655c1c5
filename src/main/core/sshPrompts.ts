/** Prompts of ssh for the connection to a remote machine. They are shown like those of git. */
export { createCredentials as createSshPrompts, type Credentials as SshPrompts } from '../git/view/gitCredentials.ts'
