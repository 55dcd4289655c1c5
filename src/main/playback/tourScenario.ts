import { tourWindow } from '../../shared/contextAllocation.ts'
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

/** What the user sends (or finds typed already) to start the tour. */
export const tourPrompt = 'Show me the tour: find out why discounts are wrong in this shop, fix it and prove it.'
/** The model's name says that none is there. */
export const tourModelName = 'tour (scripted)'

/** What the window selects before the prompt is sent: the comment of the function that the tour repairs. */
export const tourSelection = { path: 'src/prices.js', text: '/** Takes `percent` off a price. */' }

const fixed = 'return cents - Math.round((cents * percent) / 100)'
/** A test of the discount: price, percent, what should be left. */
const discountTest = /discount\(([\d_]+), (\d+)\), ([\d_]+)\)/
/** Lines that the patch adds above the function it repairs. */
const linesAbove = 3

/**
 * The tour through resources/tour/workspace. Every path, line, number and piece of code it names comes from the results of the
 * calls before; where those do not hold what they should, it fails instead of pretending.
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
        { title: 'tell', play: tellReplaced },
      ],
    },
  ],
  unexpected: (prompt) =>
    answer(
      say(
        `I am the scripted tour: there is no model behind me, so I cannot answer "${prompt.slice(0, 100)}". ` +
          'Send **show me the tour** to see it (again), or select some code in the editor and send ' +
          '**replace my selection**. For real work pick a model in the list above.',
      ),
    ),
}

function search(): Reply {
  return answer(
    say(
      '**This is a scripted tour.** No model is running: a script plays its part, ' +
        'but every tool call below really happens in this folder.\n\n',
    ),
    think('Discounts are wrong. The word will lead me to the code.'),
    say('First I search for the code that computes discounts.'),
    call('grep_search', { pattern: 'discount\\(' }),
  )
}

/** Path and line of the function, as the search found them. */
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
      `\`${faulty}\` takes off ${percent} cents where ${percent} percent are meant: ` +
        `the test wants \`discount(${price}, ${percent})\` to be ${expected}. ` +
        `And the number ${rate} stands there twice. Four changes, one patch: all of them or none.`,
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
        'There is no editor window here, so I leave the selection alone and go on with the tests. Running a command needs your approval.',
      ),
      call('run_command', { command: 'node --test', cwd: '.' }),
    )
  }
  const comment = betterComment(seen)
  if (selection.failed || nothingSelected(selection)) {
    const { path, line } = found(seen)
    return answer(
      say('Nothing is selected, so I open the place and write a comment at the cursor.'),
      call('open_file', { path, line: line + linesAbove }),
      call('insert_at_cursor', { content: `${comment}\n` }),
    )
  }
  return answer(
    say('I replace it by one with an example, in one undo step.'),
    call('replace_selection', {
      content: selection.text.trim() === tourSelection.text ? comment : marked(selection.text),
    }),
  )
}

/** A comment whose example is the test's own. */
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
  const stopped = last && last.failed ? `The editor change did not happen (${last.failed}). ` : ''
  return answer(
    say(
      `${stopped}Now the proof: I run the tests. A command needs your approval; you can also edit it first, or refuse.`,
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
        `The tests could not be run (${result.failed}). The repair in \`${path}\` stands; run \`node --test\` yourself to see it.`,
      ),
    )
  const counts = /\bpass (\d+)[^]*?\bfail (\d+)/.exec(result.text)
  if (!counts) {
    const ending = result.text.trimEnd().split('\n').at(-1) ?? ''
    return answer(
      say(
        `That was not the whole test run I asked for (its last line: "${ending}"), so I claim nothing. The repair in \`${path}\` stands.`,
      ),
    )
  }
  const [, pass = '', fail = ''] = counts
  const changed = seen.results.find(
    (other) => (other.name === 'replace_selection' || other.name === 'insert_at_cursor') && !other.failed,
  )
  return answer(
    say(
      `**Summary** (scripted)\n\n- The fault: \`discount\` in \`${path}\`, line ${line}, took off cents instead of percent.\n` +
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
        `The editor did not tell a selection (${selection.failed}). ` +
          'Open a file, select something in it, and send **replace my selection** again.',
      ),
    )
  if (nothingSelected(selection)) {
    return answer(say('Nothing is selected. Select some code in the editor and send **replace my selection** again.'))
  }
  return answer(
    say('(Scripted.) I put the same text back with a mark, in one undo step.'),
    call('replace_selection', { content: marked(selection.text) }),
  )
}

function tellReplaced(seen: StepInput): Reply {
  const result = seen.result('replace_selection')
  return (
    refusal(result, 'the change') ??
    answer(say(result.failed ? `It could not be replaced: ${result.text}` : result.text))
  )
}

/** As get_selection words it; with an empty selection the text is empty in other words too. */
function nothingSelected(selection: StepToolResult): boolean {
  return selection.text === '' || selection.text.startsWith('Nothing is selected')
}

/** The selected text, recognisably changed. */
function marked(selected: string): string {
  return `${selected} /* seen by the tour */`
}

/** The end of the tour where the user (or the mode) did not want a call. */
function refusal(result: StepToolResult, what: string): Reply | undefined {
  switch (result.failed) {
    case 'refused':
      return answer(
        say(
          `You refused ${what}, so nothing of it happened. That is what approvals are for. Send **show me the tour** to start again.`,
        ),
      )
    case 'not_in_plan_mode':
      return answer(
        say(
          `Plan mode only reads, so ${what} was refused. Choose another mode below and send **show me the tour** again.`,
        ),
      )
    case 'approval_required':
      return answer(say(`${what[0]?.toUpperCase()}${what.slice(1)} needs an approval, and nobody is there to give it.`))
    case 'cancelled':
      return answer(say(`You stopped ${what}. Send **show me the tour** to start again.`))
    default:
      return undefined
  }
}
