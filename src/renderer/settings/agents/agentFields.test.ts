import { expect, it } from 'vitest'
import { agentCommand, agentOf, draftOf } from './agentFields.ts'

const agent = {
  id: 'a',
  name: 'Qwen Code',
  command: 'qwen',
  args: ['--acp', 'two words'],
  env: { KEY: '${env:QWEN_KEY}', EMPTY: '' },
  folders: ['~/.qwen'],
  sandbox: true,
}

it('reads what it shows', () => {
  expect(agentOf(draftOf(agent), 'a')).toEqual({ agent })
  expect(agentCommand(agent)).toBe('qwen --acp "two words"')
})

it.each([
  [{ name: ' ' }, 'Enter a name.'],
  [{ command: '' }, 'Enter a command.'],
  [{ env: 'A=1\nB' }, 'Enter variable 2 as NAME=value.'],
  [{ env: 'A B=1' }, 'A variable has an invalid name.'],
])('says what is wrong with %j', (change, problem) => {
  expect(agentOf({ ...draftOf(agent), ...change }, 'a')).toEqual({ problem })
})
