import { tourWindow } from '../../shared/agent/contextAllocation.ts'
import {
  answer,
  call,
  say,
  ScenarioMismatch,
  think,
  type Reply,
  type Scenario,
  type StepInput,
  type StepToolResult,
} from '../model/scripted/scenario.ts'

/** The message that starts the tour. The window enters it for the user. */
export const tourPrompt = 'Show me the tour: find out why discounts are wrong in this shop, fix it and prove it.'
/** Name of the scripted model. It shows that no real model answers. */
export const tourModelName = 'tour (scripted)'

/** The text that the window selects before the tour starts: the comment of the function that the tour repairs. */
export const tourSelection = { path: 'src/prices.js', text: '/** Takes `percent` off a price. */' }

const fixed = 'return cents - Math.round((cents * percent) / 100)'
/** Matches a test of `discount`. Groups: price, percent, expected result. */
const discountTest = /discount\(([\d_]+), (\d+)\), ([\d_]+)\)/
/** Number of lines that the patch adds above the repaired function. */
const linesAbove = 3

/**
 * The tour of resources/tour/workspace. All paths, lines, numbers and code in its answers are from the results of
 * earlier calls. If a result lacks them, the tour fails instead of pretending.
 */
export const tourScenario: Scenario = {
  name: 'tour',
  model: tourModelName,
  contextWindow: tourWindow,
  pace: 12,
  turns: [
    {
      prompt: /\btour\b/i,
      steps: [
        { title: 'search', play: search },
        { title: 'read what was found', play: read },
        { title: 'repair and tidy in one patch', play: patch },
        { title: 'show it in the editor', play: show },
        { title: 'write at the selection', play: write },
        { title: 'run the tests', play: runTests },
        { title: 'sum up', play: sumUp },
      ],
    },
    {
      prompt: /replace (my|the) selection/i,
      steps: [
        {
          title: 'look at the selection',
          play: () => answer(say('(Scripted.) I ask the editor what you selected.'), call('get_selection', {})),
        },
        { title: 'replace it', play: replaceSelected },
        { title: 'report the result', play: reportReplacement },
      ],
    },
  ],
  unexpected: (prompt) =>
    answer(
      say(
        `I am the scripted tour: there is no model behind me, so I cannot answer "${prompt.slice(0, 100)}". ` +
          'Send **show me the tour** to see it (again), or select some code in the editor and send ' +
          '**replace my selection**. For real work, select a model in the list above.',
      ),
    ),
}

function search(): Reply {
  return answer(
    say(
      '**This is a scripted tour.** No model is running: a script plays its part, ' +
        'but every tool call below really happens in this folder.\n\n',
    ),
    think('Discounts are wrong, so I search for the code that computes them.'),
    say('First I search for the code that computes discounts.'),
    call('grep_search', { pattern: 'discount\\(' }),
  )
}

/** Returns path and line of the function, and the path of its tests, from the search result. */
function found(seen: StepInput): { path: string; line: number; tests: string } {
  const [, path = '', line = ''] = seen.expect(
    'grep_search',
    /^\W*([\w./\\-]+\.js)\W+(\d+)\W.*export function discount\b/m,
    'where `discount` is defined',
  )
  const [, tests = ''] = seen.expect(
    'grep_search',
    /^\W*([\w./\\-]+\.test\.js)\W+\d+\W.*discount\(/m,
    'a test of `discount`',
  )
  return { path, line: Number(line), tests }
}

function read(seen: StepInput): Reply {
  const { path, line, tests } = found(seen)
  return answer(
    say(`It is defined in \`${path}\`, line ${line}, and tested in \`${tests}\`. I read both at once.`),
    call('read_file', { path }),
    call('read_file', { path: tests }),
  )
}

function patch(seen: StepInput): Reply {
  const { path, tests } = found(seen)
  const [code, test] = seen.results.filter((result) => result.name === 'read_file')
  if (!code || !test) throw new ScenarioMismatch(`expected read_file to show ${path} and ${tests}`)
  if (code.text.includes(fixed))
    return answer(
      say(
        'The discount is repaired here already. Start the tour again from the welcome page to see it on a fresh copy.',
      ),
    )
  const [faulty] = seen.expect(code, /return cents - percent\b/, `the faulty line of \`discount\` in ${path}`)
  const [head] = seen.expect(code, /^\/\/ Money is counted.*$/m, `the first comment of ${path}`)
  const [added, rate = ''] = seen.expect(code, /Math\.round\(cents \* (\d+\.\d+)\)/, 'the tax that is added')
  const [taken] = seen.expect(code, /Math\.round\(cents \/ \d+\.\d+\)/, 'the tax that is taken out')
  const [, price = '', percent = '', expected = ''] = seen.expect(
    test,
    discountTest,
    `what a discount should be, in ${tests}`,
  )
  return answer(
    think(`${price} less ${percent} % should be ${expected}, but the code subtracts ${percent} itself.`),
    say(
      `\`${faulty}\` subtracts ${percent} cents instead of ${percent} percent: ` +
        `the test wants \`discount(${price}, ${percent})\` to be ${expected}. ` +
        `The number ${rate} also appears twice. Four changes, one patch: all of them or none.`,
    ),
    call('apply_patch', {
      path,
      patches: [
        { old_text: faulty, new_text: fixed },
        { old_text: added, new_text: added.replace(rate, 'TAX_FACTOR') },
        { old_text: taken, new_text: taken.replace(rate, 'TAX_FACTOR') },
        {
          old_text: head,
          new_text: `${head}\n\n/** A price with value added tax is this many times the price without. */\nconst TAX_FACTOR = ${rate}`,
        },
      ],
    }),
  )
}

function show(seen: StepInput): Reply {
  const stopped = refusal(seen.result('apply_patch'), 'the edit')
  if (stopped) return stopped
  seen.expect('apply_patch', /^\+.*Math\.round\(\(cents \* percent\) \/ 100\)/m, 'the repaired line in its diff')
  return answer(
    say(
      'The patch is in; its card shows the diff and can undo it. Now I look at what is selected in the editor: the tour selected a comment there for you.',
    ),
    call('get_selection', {}),
  )
}

function write(seen: StepInput): Reply {
  const selection = seen.result('get_selection')
  if (selection.failed === 'no_window') {
    return answer(
      say(
        'There is no editor window here, so I skip the selection and continue with the tests. Running a command needs your approval.',
      ),
      call('run_command', { command: 'node --test', cwd: '.' }),
    )
  }
  const comment = betterComment(seen)
  if (selection.failed || nothingSelected(selection)) {
    const { path, line } = found(seen)
    return answer(
      say('Nothing is selected, so I open the function and insert a comment at the cursor.'),
      call('open_file', { path, line: line + linesAbove }),
      call('insert_at_cursor', { content: `${comment}\n` }),
    )
  }
  return answer(
    say('I replace it with one that has an example, in one undo step.'),
    call('replace_selection', {
      content: selection.text.trim() === tourSelection.text ? comment : marked(selection.text),
    }),
  )
}

/** Returns a comment with an example from the test. */
function betterComment(seen: StepInput): string {
  const { tests } = found(seen)
  const [, test] = seen.results.filter((result) => result.name === 'read_file')
  if (!test) throw new ScenarioMismatch(`expected read_file to show ${tests}`)
  const [, price = '', percent = '', expected = ''] = seen.expect(
    test,
    discountTest,
    `what a discount should be, in ${tests}`,
  )
  return `/** Takes a share off a price: \`discount(${price}, ${percent})\` is ${expected}. */`
}

function runTests(seen: StepInput): Reply {
  const last = seen.results.at(-1)
  if (last?.name === 'run_command') return sumUp(seen)
  const stopped = last && last.failed ? `The editor was not changed (${last.failed}). ` : ''
  return answer(
    say(
      `${stopped}To prove it, I run the tests. A command needs your approval; you can also edit it first, or refuse.`,
    ),
    call('run_command', { command: 'node --test', cwd: '.' }),
  )
}

function sumUp(seen: StepInput): Reply {
  const result = seen.result('run_command')
  const stopped = refusal(result, 'the test run')
  if (stopped) return stopped
  const { path, line } = found(seen)
  if (result.failed)
    return answer(
      say(
        `The tests could not be run (${result.failed}). The fix in \`${path}\` is in place; run \`node --test\` yourself to see it.`,
      ),
    )
  const counts = /\bpass (\d+)[^]*?\bfail (\d+)/.exec(result.text)
  if (!counts) {
    const ending = result.text.trimEnd().split('\n').at(-1) ?? ''
    return answer(
      say(
        `The output is not a whole test run (its last line: "${ending}"), so I cannot confirm the fix. The fix in \`${path}\` is in place.`,
      ),
    )
  }
  const [, pass = '', fail = ''] = counts
  const changed = seen.results.find(
    (other) => (other.name === 'replace_selection' || other.name === 'insert_at_cursor') && !other.failed,
  )
  return answer(
    say(
      `**Summary** (scripted)\n\n- The fault: \`discount\` in \`${path}\`, line ${line}, subtracted cents instead of percent.\n` +
        '- The patch repaired it and gave the tax factor one name.\n' +
        (changed ? `- In the editor: ${changed.text.split('\n')[0]}\n` : '') +
        `- The tests: ${pass} passed, ${fail} failed.\n\n` +
        'Next: select some code in the editor and send **replace my selection**, or connect your own model in the settings.',
    ),
  )
}

function replaceSelected(seen: StepInput): Reply {
  const selection = seen.result('get_selection')
  if (selection.failed)
    return answer(
      say(
        `The editor returned no selection (${selection.failed}). ` +
          'Open a file, select something in it, and send **replace my selection** again.',
      ),
    )
  if (nothingSelected(selection)) {
    return answer(say('Nothing is selected. Select some code in the editor and send **replace my selection** again.'))
  }
  return answer(
    say('(Scripted.) I replace it with the same text and a mark, in one undo step.'),
    call('replace_selection', { content: marked(selection.text) }),
  )
}

function reportReplacement(seen: StepInput): Reply {
  const result = seen.result('replace_selection')
  return (
    refusal(result, 'the change') ??
    answer(say(result.failed ? `It could not be replaced: ${result.text}` : result.text))
  )
}

/** Whether `get_selection` returned no text or its message about an empty selection. */
function nothingSelected(selection: StepToolResult): boolean {
  return selection.text === '' || selection.text.startsWith('Nothing is selected')
}

/** Returns the selected text with a visible mark. */
function marked(selected: string): string {
  return `${selected} /* seen by the tour */`
}

/** Returns the last answer of the tour if the user or the mode refused a call; undefined if the call ran. */
function refusal(result: StepToolResult, what: string): Reply | undefined {
  switch (result.failed) {
    case 'refused':
      return answer(
        say(
          `You refused ${what}, so it did not run. Approvals are for this. Send **show me the tour** to start again.`,
        ),
      )
    case 'not_in_plan_mode':
      return answer(
        say(
          `Plan mode only reads, so ${what} was refused. Choose another mode below and send **show me the tour** again.`,
        ),
      )
    case 'approval_required':
      return answer(say(`Approval is needed for ${what}, but nobody can give it here.`))
    case 'cancelled':
      return answer(say(`You stopped ${what}. Send **show me the tour** to start again.`))
    default:
      return undefined
  }
}
