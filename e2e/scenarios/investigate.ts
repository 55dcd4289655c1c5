import { answer, call, waitForGate, say, step, type Scenario } from '../../src/main/model/scripted/scenario.ts'

const finding = {
  title: 'A user is kept once',
  detail: 'The name is looked up before the user is put.',
  confidence: 'high',
  evidence: [
    { path: 'src/users.ts', line: 3, quote: 'if (!db.has(user.name)) db.put(user)' },
    { path: 'src/invented.ts', line: 1, quote: 'nothing' },
  ],
}

/**
 * The model starts an investigation, which runs as a sub-agent. It reads files and reports one true and one invented
 * location.
 */
export const investigate: Scenario = {
  name: 'investigate',
  turns: [
    {
      prompt: /^Objective: /,
      steps: [
        {
          title: 'read',
          play: () => answer(call('read_file_range', { path: 'src/users.ts', start_line: 1, end_line: 4 })),
        },
        {
          title: 'find',
          play: (seen) => {
            seen.expect('read_file_range', /db\.has/, 'the lines of src/users.ts')
            return answer(waitForGate('found'), say(JSON.stringify({ summary: 'Once, by name.', findings: [finding] })))
          },
        },
      ],
    },
    {
      prompt: /./,
      steps: [
        step('investigate', call('codebase_investigator', { objective: 'How is a user saved?' })),
        {
          title: 'tell',
          play: (seen) => {
            seen.expect('codebase_investigator', /"evidence_dropped": 1/, 'that one place was dropped')
            return answer(say('A user is saved once, see src/users.ts.'))
          },
        },
      ],
    },
  ],
}
