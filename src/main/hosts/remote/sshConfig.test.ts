import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { sshConfigHosts } from './sshConfig.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tizona-ssh-config-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function hostsOf(text: string): Promise<string[]> {
  await writeFile(join(folder, 'config'), text)
  return sshConfigHosts(join(folder, 'config'))
}

describe('the hosts of an SSH configuration', () => {
  it('are the names without patterns and negations, each once', async () => {
    expect(
      await hostsOf(
        '# Host commented\nHost box gpu # my server\n  HostName 10.0.0.1\nhost=other "quoted name"\n\tHost *.example !not box\nMatch host x\n',
      ),
    ).toEqual(['box', 'gpu', 'other', 'quoted name'])
  })

  it('include those of other files, also of a circle of files', async () => {
    await mkdir(join(folder, 'conf.d'))
    await writeFile(join(folder, 'conf.d', 'a.conf'), 'Host a\n')
    await writeFile(join(folder, 'conf.d', 'b.conf'), `Host b\nInclude ${folder}/config\n`)
    expect(await hostsOf(`Include ${folder}/conf.d/*.conf ${folder}/missing\nHost last\n`)).toEqual(['a', 'b', 'last'])
  })

  it('are none without a file, and bounded', async () => {
    expect(await sshConfigHosts(join(folder, 'missing'))).toEqual([])
    expect(await hostsOf(`Host ${Array.from({ length: 3000 }, (_, index) => `h${index}`).join(' ')}\n`)).toHaveLength(
      1000,
    )
  })
})
