import { answer, call, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

/**
 * Calls tools by Zaguán Blade's names: symbols, a batch, many files, the project index. Each call depends on the
 * previous result.
 */
export const bladeTools: Scenario = {
  name: 'blade-tools',
  turns: [
    {
      prompt: /^who uses createUser/,
      steps: [
        step('search', call('symbol_search', { query: 'createUser' })),
        {
          title: 'outline and graph',
          play: (seen) => {
            const [, id = ''] = seen.expect(
              'symbol_search',
              /"symbol_id": "([^"]+createUser[^"]*)"/,
              'the id of createUser',
            )
            return answer(call('symbol_outline', { path: 'src/users.ts' }), call('symbol_graph', { symbol_id: id }))
          },
        },
        {
          title: 'several at once',
          play: (seen) => {
            seen.expect('symbol_outline', /"name": "UserStore"[\s\S]*"children"/, 'UserStore with what it holds')
            seen.expect('symbol_graph', /"at": "src\/app\.ts:3"[\s\S]*"match": "resolved"/, 'the call in src/app.ts')
            const calls = [
              { tool: 'read_file', arguments: { path: 'src/app.ts' } },
              { tool: 'grep_search', arguments: { pattern: 'createUser', path: 'src' } },
              { tool: 'symbol_search', arguments: { query: 'UserStore' } },
              { tool: 'read_file', arguments: { path: 'src/gone.ts' } },
            ]
            return answer(call('batch', { calls }))
          },
        },
        {
          title: 'many files and the project',
          play: (seen) => {
            seen.expect('batch', /"succeeded": 3,\s*"failed": 1/, 'three successes and one failure')
            return answer(
              call('read_many_files', { paths: ['src/**/*.ts', 'README.md'] }),
              call('get_project_index_overview', {}),
            )
          },
        },
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('read_many_files', /"returned": 3/, 'three files')
            seen.expect('get_project_index_overview', /Harbour/, 'the purpose')
            return answer(say('Only src/app.ts:3 calls `createUser`, not `missing.ts`.'))
          },
        },
      ],
    },
  ],
}
