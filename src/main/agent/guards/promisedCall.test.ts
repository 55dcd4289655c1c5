import { describe, expect, test } from 'vitest'
import { promisesCall } from './promisedCall.ts'

describe('an answer that ends by announcing a call', () => {
  test.each([
    'I will now read the file.',
    "I'll check the tests first.",
    'I’ll start by looking at the parser.',
    'Let me take a look at `src/main.rs`.',
    "The error is in the parser. Let's run the tests again:",
    "Okay, now I'm going to fix the import…",
    'Great! Next, I will update the **config** file.',
    'Sure.\n\nLet me search for the function.',
    'Now I will run:\n\n```bash\nnpm test\n```',
    'I am going to go ahead and create the file.',
    'Understood. I will begin by running the tests to see what fails.',
  ])('%s', (text) => {
    expect(promisesCall(text, false)).toBe(true)
  })
})

describe('an answer that announces no call', () => {
  test.each([
    '',
    'Let me know if you want me to run the tests.',
    'Let me know if anything is unclear.',
    'Shall I run the tests?',
    "I can add tests as well. Should I? I'll write them in src/a.test.ts.",
    "If you like, I'll add a test for it.",
    "I'll update the file once you tell me the new name.",
    'Once you confirm, I will delete the folder.',
    "I'll read configuration from the environment from now on.",
    'I will wait for your answer.',
    'Let me explain how the parser works.',
    "Let's summarise: the tests pass.",
    'I will be happy to help.',
    'I read the file and fixed the typo.',
    'I have run the tests; all 12 pass.',
    'You can run `npm test` to check it.',
    'To be sure, run the tests.',
    'The script will create the folder and then run the build.',
    'She wrote: "I will read the file."',
    'I wanted to say "let me check", but it was done.',
    '1. I will read the file.\n2. I will run the tests.',
    '- Let me check the parser\n- Let me fix it',
    '> I will now read the file.',
    'First I will say what I found: nothing.',
    'I will use tabs, as the rest of the file does.',
    "I'll keep it in mind.",
    "I'll fix the other warnings later.",
    'Here is the function:\n\n```ts\nlet me = read()\n```',
    "I couldn't find it. I'll need the name of the file.",
    "I'll read it when you have saved it.",
  ])('%s', (text) => {
    expect(promisesCall(text, false)).toBe(false)
  })
})

test('with open to-do steps, an announcement counts even if another sentence follows', () => {
  const text = 'I will now run the tests. This takes a moment.'
  expect(promisesCall(text, false)).toBe(false)
  expect(promisesCall(text, true)).toBe(true)
  expect(promisesCall('Shall I go on? I will run the tests. They are quick.', true)).toBe(false)
})
