import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeFolder } from '../../base/makeFolder.ts'
import { runProgram } from '../../base/startProcess.ts'
import { withoutUserInfo } from '../commandEnvironment.ts'
import type { Mount } from './bubblewrapArguments.ts'

/** Configuration files in the home whose lines with secrets are left out. */
const cleanedFiles: readonly string[] = [
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.config/pip/pip.conf',
  '.pip/pip.conf',
  '.cargo/config',
  '.cargo/config.toml',
]

/** Settings of git that commits need. Others can name programs or contain keys. */
const gitSettings = /^(?:user\.(?:name|email)|init\.defaultbranch|core\.(?:autocrlf|eol|safecrlf)|pull\.rebase)$/

/** Writes copies of the user's configuration without secrets. @returns their mounts */
export async function configMounts(home: string, folder: string): Promise<Mount[]> {
  await makeFolder(folder)
  const texts = [
    { name: '.gitconfig', text: await gitConfig() },
    ...(await Promise.all(
      cleanedFiles.map(async (name) => ({
        name,
        text: withoutSecrets(await readFile(path.join(home, name), 'utf8').catch(() => '')),
      })),
    )),
  ]
  const mounts: Mount[] = []
  for (const { name, text } of texts) {
    if (text === '') continue
    const source = path.join(folder, name.replaceAll('/', '+'))
    await writeFile(source, text, { mode: 0o600 })
    mounts.push({ kind: 'readOnly', path: path.join(home, name), source })
  }
  return mounts
}

/** Returns text without lines that name a secret, and without passwords in addresses. Pure. */
function withoutSecrets(text: string): string {
  return text
    .split('\n')
    .filter(
      (line) => !/_auth|password|passwd|_pass\b|token|secret|username|email|credential|\bkey(?:file)?\s*=/i.test(line),
    )
    .map(withoutUserInfo)
    .join('\n')
}

async function gitConfig(): Promise<string> {
  // Missing configuration and a missing git both mean that there is nothing to copy.
  const { stdout } = await runProgram('git', ['config', '--global', '--null', '--list']).catch(() => ({ stdout: '' }))
  return stdout
    .split('\0')
    .map((entry) => ({ name: entry.split('\n', 1)[0] ?? '', value: entry.slice(entry.indexOf('\n') + 1) }))
    .filter(({ name }) => gitSettings.test(name))
    .map(({ name, value }) => {
      const [section = '', key = ''] = name.split('.')
      return `[${section}]\n\t${key} = "${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"\n`
    })
    .join('')
}
