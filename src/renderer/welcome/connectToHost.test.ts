import { describe, expect, it } from 'vitest'
import { hostItems } from './connectToHost.ts'

const known = {
  hosts: [
    { address: 'devbox', label: 'SSH: devbox' },
    { address: 'gpu', label: 'SSH: gpu' },
  ],
  recents: [{ host: { address: 'devbox', label: 'SSH: devbox' }, folder: '/home/ada/project' }],
}
const shown = (query: string) => hostItems(known, query).map(({ item, target }) => [item.label, target])

describe('the picker of "Connect to host…"', () => {
  it('lists the hosts of the SSH configuration, then the recent folders', () => {
    expect(shown('')).toEqual([
      ['devbox', { address: 'devbox' }],
      ['gpu', { address: 'gpu' }],
      ['/home/ada/project', { address: 'devbox', folder: '/home/ada/project' }],
    ])
  })

  it('offers what was typed as a host, unless it is one of the list', () => {
    expect(shown('ada@new')).toEqual([['Connect to ada@new', { address: 'ada@new' }]])
    expect(shown('gpu')).toEqual([['gpu', { address: 'gpu' }]])
    expect(shown('project').map(([label]) => label)).toEqual(['Connect to project', '/home/ada/project'])
  })
})
