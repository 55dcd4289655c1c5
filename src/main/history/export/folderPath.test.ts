import { expect, it } from 'vitest'
import { placeholderFor, replaceFolder, replaceFolderIn } from './folderPath.ts'

it.each([
  ['/home/ana/app', 'cd /home/ana/app && ls /home/ana/app/src', 'cd /workspace && ls /workspace/src'],
  ['/home/ana/app', 'It is in /home/ana/app. Look.', 'It is in /workspace. Look.'],
  ['/home/ana/app', '-I/home/ana/app/include file:///home/ana/app', '-I/workspace/include file:///workspace'],
  [
    '/home/ana/app',
    '/home/ana/app2 /home/ana/app-old /home/ana/app.git',
    '/home/ana/app2 /home/ana/app-old /home/ana/app.git',
  ],
  ['C:\\work\\app', '{"path":"C:\\\\work\\\\app\\\\a"} C:\\work\\app\\b', '{"path":"/workspace\\\\a"} /workspace\\b'],
  ['/tmp/$& (1)', 'in /tmp/$& (1)/a', 'in /workspace/a'],
])('the path %s is replaced, but not those beside it', (folder, text, expected) => {
  expect(replaceFolder(text, folder, '/workspace')).toBe(expected)
})

it('the path of another system is put back into texts, and as JSON into the arguments of calls', () => {
  const items = [{ arguments: '{"path":"/workspace/a"}', result: { text: 'Directory: /workspace' } }]
  const [item] = replaceFolderIn(items, '/workspace', 'D:\\app')
  expect(JSON.parse(item?.arguments ?? '')).toEqual({ path: 'D:\\app/a' })
  expect(item?.result.text).toBe('Directory: D:\\app')
})

it('the placeholder is a path that the conversation does not have', () => {
  expect(placeholderFor('/home/ana/app', 'docker run -v .:/workspace')).toBe('/workspace-2')
  expect(placeholderFor('/', 'any')).toBeUndefined()
})
