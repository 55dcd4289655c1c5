import type { GitStatusSummary } from '../../shared/git/git.ts'
import { request } from '../platform/bridge/bridge.ts'
import { changeRepository } from '../platform/git/gitStore.ts'
import { notify } from '../platform/notices.ts'
import { promptText } from '../platform/conversation/promptText.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'
import { branchNameProblem } from './branchName.ts'
import { attemptGit } from './failures.ts'
import { formatAge } from '../platform/formatAge.ts'

/** Creates a tag at a commit. @param commit default: HEAD */
export async function createTag(status: GitStatusSummary, commit?: string): Promise<void> {
  const repository = status.repository.id
  const name = await promptText({
    title: 'Create tag',
    label: commit === undefined ? 'Tag name' : `Tag name (at commit ${commit.slice(0, 8)})`,
    button: 'Create tag',
    problem: (value) => branchNameProblem(value.trim()),
  })
  if (name === null) return
  await changeRepository(repository, 'Creating the tag', (operation) =>
    request('git.createTag', { repository, operation, name: name.trim(), ...(commit === undefined ? {} : { commit }) }),
  )
}

export async function deleteTag(status: GitStatusSummary): Promise<void> {
  const repository = status.repository.id
  const { tags } = await request('git.references', { repository })
  const choice = await quickPick({
    title: 'Delete tag',
    placeholder: 'Select a tag to delete',
    empty: 'There are no tags.',
    items: tags.map(({ name, subject, createdAt }) => ({
      id: name,
      label: name,
      description: subject,
      detail: formatAge(createdAt),
      icon: 'tag',
    })),
  })
  if (!choice) return
  const { commit } = await changeRepository(repository, 'Deleting the tag', (operation) =>
    request('git.deleteTag', { repository, operation, name: choice.id }),
  )
  notify('info', `Deleted tag ${choice.id}.`, {
    actions: [
      {
        label: 'Undo',
        run: () =>
          attemptGit(
            () =>
              changeRepository(repository, 'Restoring the tag', (operation) =>
                request('git.createTag', { repository, operation, name: choice.id, commit }),
              ),
            'The tag could not be restored',
          ),
      },
    ],
  })
}
