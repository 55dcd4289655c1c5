import type { GitIdentity } from '../../../shared/git/git.ts'
import type { Actions } from './actions.ts'

/** Stores the name and email address of commits in the configuration of a repository, or in that of the user. */
export async function setIdentity(
  { change }: Pick<Actions, 'change'>,
  id: string,
  { name, email, scope }: GitIdentity,
): Promise<void> {
  const file = scope === 'all' ? '--global' : '--local'
  await change(id, undefined, async (_, git) => {
    await git('Storing the name', ['config', file, 'user.name', name])
    await git('Storing the email address', ['config', file, 'user.email', email])
  })
}
