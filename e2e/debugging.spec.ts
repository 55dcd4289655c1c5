import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { env } from 'node:process'
import { promisify } from 'node:util'
import type { Locator, Page, WebSocketRoute } from '@playwright/test'
import { allThemes, checkView } from './support/accessibility.ts'
import { expect, onlyBrowser, test } from './support/app.ts'
import { cursorPosition, goTo, openFile, runPalette } from './support/window.ts'
import { withoutServers } from './support/settings.ts'

// Real debuggers, where they are installed.

const program = `import json


def total(items, rate):
    result = 0
    for item in items:
        result += item["price"]
    return result * rate


def main():
    print("starting")
    data = json.loads('[{"price": 2}, {"price": 3}]')
    label = "total"
    print(label, total(data, 2))
    print("\\033[32mdone\\033[0m main.py:14")


main()
`

/** Adds a function breakpoint in the Breakpoints section. */
async function stopAtFunction(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add function breakpoint' }).click()
  await page.getByRole('textbox', { name: 'Function name' }).fill(name)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(tree(page, 'Breakpoints').getByRole('treeitem', { name })).toBeVisible()
}

const tree = (page: Page, name: string): Locator => page.getByRole('tree', { name, exact: true })
const row = (page: Page, name: string, text: RegExp | string): Locator =>
  tree(page, name).getByRole('treeitem', { name: text }).first()

/** Whether the Python on PATH has debugpy. */
async function whyNoDebugpy(): Promise<string | null> {
  try {
    await promisify(execFile)('python3', ['-c', 'import debugpy'])
    return null
  } catch {
    return 'python3 has no debugpy (python3 -m pip install debugpy)'
  }
}

test('a Python program is started from the Run view, inspected, changed and continued to its end', async ({
  launch,
}) => {
  const missing = await whyNoDebugpy()
  test.skip(missing !== null, missing ?? '')
  const { page, reload } = await launch({
    files: { 'main.py': program },
    settings: { theme: 'system', ...withoutServers },
  })

  await test.step('the Run view starts the active file, which stops at a function', async () => {
    await openFile(page, 'main.py')
    await page.keyboard.press('Control+Shift+D')
    await expect(page.getByRole('heading', { name: 'Run and debug' })).toBeVisible()
    await stopAtFunction(page, 'total')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await expect(row(page, 'Call stack', /^total/)).toHaveAttribute('aria-current', 'true')
    await expect(page.getByRole('region', { name: 'Call stack' })).toContainText('Paused on function breakpoint')
  })

  await test.step('variables are expanded by keyboard, and one is set', async () => {
    const variables = tree(page, 'Variables')
    await expect(row(page, 'Variables', /^items/)).toBeVisible()
    await variables.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await expect(row(page, 'Variables', /^0\b/)).toContainText("'price'")
    await row(page, 'Variables', /^rate/).click()
    await page.keyboard.press('F2')
    await page.getByRole('textbox', { name: 'Value of rate' }).fill('10')
    await page.keyboard.press('Enter')
    await expect(row(page, 'Variables', /^rate/)).toContainText('10')
  })

  await test.step('a watched expression has its value, and an error is shown as such', async () => {
    await page.getByRole('button', { name: 'Add expression' }).click()
    await page.getByRole('textbox', { name: 'Expression to watch' }).fill('len(items) + rate')
    await page.keyboard.press('Enter')
    await expect(row(page, 'Watch', /^len/)).toContainText('12')
    await page.getByRole('button', { name: 'Add expression' }).click()
    await page.getByRole('textbox', { name: 'Expression to watch' }).fill('missing')
    await page.keyboard.press('Enter')
    await expect(row(page, 'Watch', /^missing/)).toContainText('NameError')
  })

  await test.step('another frame shows its variables', async () => {
    await row(page, 'Call stack', /^main/).click()
    await expect(row(page, 'Variables', /^label/)).toContainText("'total'")
    await row(page, 'Call stack', /^total/).click()
    await expect(row(page, 'Variables', /^rate/)).toContainText('10')
  })

  await test.step('the console evaluates with completion, and shows a value that can be expanded', async () => {
    await page.getByRole('button', { name: 'Show debug console' }).click()
    const field = page.getByRole('textbox', { name: 'Evaluate expression' })
    await field.click()
    await page.keyboard.type('item')
    await expect(page.getByRole('option', { name: 'items' })).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(field).toHaveValue('items')
    await page.keyboard.press('Enter')
    const output = tree(page, 'Debug console output')
    await output.getByRole('treeitem', { name: /price/ }).first().click()
    await expect(output.getByRole('treeitem', { name: /^0\b/ })).toBeVisible()
    await field.fill('rate = 100')
    await field.press('Enter')
    // What an expression changes is read again.
    await expect(row(page, 'Variables', /^rate/)).toContainText('100')
    await field.press('ArrowUp')
    await expect(field).toHaveValue('rate = 100')
    await checkView(
      page,
      'a stopped program',
      { only: ['[data-region="side-bar"]', '[data-region="panel"]'] },
      allThemes,
    )
  })

  await test.step('a window that connects later shows the session, its values and its earlier output', async () => {
    await reload()
    await expect(row(page, 'Watch', /^len/)).toContainText('102')
    await expect(row(page, 'Call stack', /^total/)).toHaveAttribute('aria-current', 'true')
    await expect(tree(page, 'Debug console output')).toContainText('starting')
  })

  await test.step('without the breakpoint it runs to its end, with colors and links in the output', async () => {
    await page.getByRole('button', { name: 'Remove all breakpoints' }).click()
    await row(page, 'Call stack', /^MainThread/).click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Continue' }).click()
    await expect(page.getByRole('region', { name: 'Call stack' })).toContainText('main.py has ended with exit code 0.')
    const output = tree(page, 'Debug console output')
    await expect(output).toContainText('total 500')
    await expect(output).toContainText('main.py has ended with exit code 0.')
    const done = output.getByRole('treeitem', { name: /^done/ })
    await expect(done).toHaveText('done main.py:14')
    await done.getByRole('button', { name: 'main.py:14' }).click()
    await expect(cursorPosition(page)).toHaveText('Ln 14, Col 1')
    // Expressions stay watched, without values.
    await expect(row(page, 'Watch', /^len/)).toContainText('not available')
  })
})

const faulty = `def average(numbers):
    total = sum(numbers)
    count = len(numbers)
    return total / count


values = [3, 4, 5]
print("average", average(values))
print("average", average([]))
`

/** The gutter beside a line, where breakpoints are. */
async function clickGutter(page: Page, line: number, button: 'left' | 'right' = 'left'): Promise<void> {
  const number = page.locator('.monaco-editor .line-numbers', { hasText: new RegExp(`^${line}$`) }).first()
  const margin = page.locator('.monaco-editor .glyph-margin').first()
  // The editor draws its lines anew, for example when the program stops elsewhere.
  await expect(async () => {
    const [row, column] = [await number.boundingBox(), await margin.boundingBox()]
    if (row === null || column === null) throw new Error(`Line ${line} is not visible.`)
    await page.mouse.click(column.x + column.width / 2, row.y + row.height / 2, { button })
  }).toPass()
}

test('sections of the Run view are resized by mouse and keyboard, and keep their heights', async ({ launch }) => {
  const { page, reload } = await launch({
    files: { 'main.py': program },
    settings: { theme: 'system', ...withoutServers },
  })
  const section = (name: string): Locator => page.getByRole('region', { name, exact: true })
  const edge = (name: string): Locator => page.getByRole('separator', { name: `Resize ${name.toLowerCase()}` })
  const height = async (name: string): Promise<number> => (await section(name).boundingBox())?.height ?? 0
  await page.keyboard.press('Control+Shift+D')
  for (const expression of ['items', 'rate', 'total', 'label', 'data']) {
    await page.getByRole('button', { name: 'Add expression' }).click()
    await page.getByRole('textbox', { name: 'Expression to watch' }).fill(expression)
    await page.keyboard.press('Enter')
  }
  for (const name of ['total', 'main']) await stopAtFunction(page, name)
  const [watch, breakpoints] = [await height('Watch'), await height('Breakpoints')]

  await test.step('by keyboard, and Enter undoes it', async () => {
    await edge('Watch').focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => height('Watch')).toBe(watch - 44)
    await expect(edge('Watch')).toHaveAttribute('aria-valuenow', String(watch - 44))
    await page.keyboard.press('End')
    await expect.poll(() => height('Watch')).toBeGreaterThan(watch + 44)
    // The others stay in the view.
    await expect(section('Debuggers')).toBeInViewport({ ratio: 1 })
    await page.keyboard.press('Enter')
    await expect.poll(() => height('Watch')).toBe(watch)
  })

  async function drag(name: string, distance: number): Promise<void> {
    const box = await edge(name).boundingBox()
    if (box === null) throw new Error('There is no edge.')
    await page.mouse.move(box.x + 40, box.y + 2)
    await page.mouse.down()
    await page.mouse.move(box.x + 40, box.y + 2 + distance / 2)
    await page.mouse.move(box.x + 40, box.y + 2 + distance)
    await page.mouse.up()
  }

  await test.step('by mouse, for two sections', async () => {
    await drag('Watch', 60)
    await expect.poll(() => height('Watch')).toBe(watch + 60)
    await drag('Breakpoints', 50)
    await expect.poll(() => height('Breakpoints')).toBe(breakpoints + 50)
    await expect.poll(() => height('Watch')).toBe(watch + 60)
    // Far below the window: the other section gets smaller, and both stay in the view.
    await drag('Breakpoints', 2000)
    await expect.poll(() => height('Watch')).toBeLessThan(watch + 60)
    await expect(section('Debuggers')).toBeInViewport({ ratio: 1 })
    await checkView(page, 'resized sections', { only: ['[data-region="side-bar"]'] }, allThemes)
  })

  await test.step('the heights are kept, and a folded section has no edge', async () => {
    const kept = await height('Breakpoints')
    const watchKept = await height('Watch')
    await reload()
    await expect.poll(() => height('Watch')).toBe(watchKept)
    await expect.poll(() => height('Breakpoints')).toBe(kept)
    await section('Watch').getByRole('button', { name: 'Watch' }).click()
    await expect(edge('Watch')).toBeHidden()
    await section('Watch').getByRole('button', { name: 'Watch' }).click()
    await expect.poll(() => height('Watch')).toBe(watchKept)
  })
})

test('a breakpoint is set by click, keys step, values are beside the lines, and an exception goes to the chat', async ({
  launch,
}) => {
  const missing = await whyNoDebugpy()
  test.skip(missing !== null, missing ?? '')
  const { page } = await launch({ files: { 'main.py': faulty }, settings: { theme: 'system', ...withoutServers } })
  const toolbar = page.getByRole('toolbar', { name: 'Debugging' })

  await test.step('a click in the gutter sets a breakpoint, and F5 stops at it', async () => {
    await openFile(page, 'main.py')
    await clickGutter(page, 4)
    await expect(page.locator('.debug-glyph-enabled')).toHaveCount(1)
    await page.keyboard.press('F5')
    await expect(toolbar).toContainText('Paused on breakpoint')
    await expect(page.locator('.debug-line-top')).toBeVisible()
    await expect(page.locator('.debug-inline-value').filter({ hasText: 'total = 12' }).first()).toBeVisible()
  })

  await test.step('a hover shows the value of a variable', async () => {
    await page.locator('.view-line', { hasText: 'total = sum' }).getByText('total', { exact: false }).first().hover()
    await page.mouse.move(5, 5)
    const word = page.locator('.view-line', { hasText: 'return total' })
    const box = await word.boundingBox()
    if (box === null) throw new Error('The line is not visible.')
    await page.mouse.move(box.x + 95, box.y + box.height / 2)
    await expect(page.locator('.monaco-hover').filter({ hasText: 'total: int' })).toContainText('12')
  })

  await test.step('F10 steps, and the menu of the gutter disables a breakpoint', async () => {
    await page.keyboard.press('F10')
    await expect(toolbar).toContainText('Paused on step')
    await clickGutter(page, 4, 'right')
    await page.getByRole('menuitem', { name: 'Disable breakpoint' }).click()
    await expect(page.locator('.debug-glyph-disabled')).toHaveCount(1)
  })

  await test.step('an exception stops the program, and is added to the message', async () => {
    await page.keyboard.press('F5')
    const exception = page.getByRole('alert', { name: 'Exception' })
    await expect(exception).toContainText('ZeroDivisionError: division by zero')
    await checkView(page, 'the stopped program')
    await exception.getByRole('button', { name: 'Ask the model' }).click()
    await expect(page.getByRole('textbox', { name: /message/i })).toContainText(
      /Exception in main\.py|ZeroDivisionError/,
    )
  })

  await test.step('Shift+F5 ends it, and breakpoints survive a reload', async () => {
    await page.keyboard.press('Shift+F5')
    await expect(toolbar).toBeHidden()
    await page.reload()
    await expect(page.locator('.debug-glyph-disabled')).toHaveCount(1)
  })
})

/** Whether a program is on PATH, or among those that Go installed. */
const isInstalled = (program: string): boolean =>
  [...(env['PATH'] ?? '').split(path.delimiter), path.join(homedir(), 'go/bin')].some((folder) =>
    existsSync(path.join(folder, program)),
  )

interface Program {
  debugger: string
  /** One of each list must be installed. */
  programs: readonly (readonly string[])[]
  files: Readonly<Record<string, string>>
  file: string
  line: number
  /** Of launch.json. Default: the file is started. */
  configuration?: string
}

/** Selects a variable with the arrow keys. */
async function selectVariable(page: Page, name: RegExp): Promise<void> {
  await tree(page, 'Variables').focus()
  await page.keyboard.press('Home')
  const variable = row(page, 'Variables', name)
  for (let step = 0; step < 20 && (await variable.getAttribute('aria-selected')) !== 'true'; step++)
    await page.keyboard.press('ArrowDown')
  await expect(variable).toHaveAttribute('aria-selected', 'true')
}

const programs: readonly Program[] = [
  {
    debugger: 'Delve',
    programs: [['dlv'], ['go']],
    files: {
      'go.mod': 'module total\n\ngo 1.20\n',
      'main.go':
        'package main\n\nimport "fmt"\n\nfunc total(count int) int {\n\tresult := 0\n\tfor i := 1; i <= count; i++ {\n\t\tresult += i\n\t}\n\treturn result\n}\n\nfunc main() {\n\tfmt.Println("total", total(3))\n}\n',
    },
    file: 'main.go',
    line: 8,
  },
  {
    debugger: 'LLDB',
    programs: [['lldb-dap', ...[22, 21, 20, 19, 18].map((version) => `lldb-dap-${version}`)], ['gcc']],
    files: {
      'main.c':
        '#include <stdio.h>\n\nstatic int total(int count) {\n  int result = 0;\n  for (int i = 1; i <= count; i++) {\n    result += i;\n  }\n  return result;\n}\n\nint main(void) {\n  printf("total %d\\n", total(3));\n  return 0;\n}\n',
      '.vscode/launch.json': JSON.stringify({
        configurations: [
          {
            name: 'Total',
            type: 'lldb',
            request: 'launch',
            program: '${workspaceFolder}/main',
            preLaunchTask: 'build',
          },
        ],
      }),
      '.vscode/tasks.json': JSON.stringify({
        tasks: [{ label: 'build', type: 'shell', command: 'gcc -g -O0 main.c -o main' }],
      }),
    },
    file: 'main.c',
    line: 6,
    configuration: 'Total',
  },
  {
    debugger: 'js-debug',
    programs: [['node']],
    files: {
      'main.js':
        "function total(count) {\n  let result = 0\n  for (var i = 1; i <= count; i++) {\n    result += i\n  }\n  return result\n}\n\nconsole.log('total', total(3))\n",
    },
    file: 'main.js',
    line: 4,
  },
]

for (const { debugger: title, programs: needed, files, file, line, configuration } of programs)
  test(`${title} stops a program at a breakpoint, steps and changes a value, by keyboard alone`, async ({ launch }) => {
    const missing = needed.find((names) => !names.some(isInstalled))
    test.skip(missing !== undefined, `${missing?.[0]} is not installed`)
    const jsDebugPath = env['TIZONA_JS_DEBUG'] ?? ''
    test.skip(title === 'js-debug' && jsDebugPath === '', 'TIZONA_JS_DEBUG is not set')
    const { page } = await launch({ files, settings: { theme: 'system', debug: { jsDebugPath }, ...withoutServers } })
    const toolbar = page.getByRole('toolbar', { name: 'Debugging' })

    await test.step('F9 sets a breakpoint, and F5 stops at it', async () => {
      await openFile(page, file)
      await goTo(page, `${line}:1`)
      await page.keyboard.press('F9')
      await expect(page.locator('.debug-glyph-enabled')).toHaveCount(1)
      if (configuration === undefined) await page.keyboard.press('F5')
      else {
        await runPalette(page, 'Start debugging…')
        await page.getByRole('option', { name: configuration }).waitFor()
        await page.keyboard.type(configuration)
        await page.keyboard.press('Enter')
      }
      // The first build of Go compiles its standard library.
      await expect(toolbar).toContainText('Paused on breakpoint', { timeout: 150_000 })
      await expect(cursorPosition(page)).toHaveText(new RegExp(`^Ln ${line},`))
    })

    await test.step('F10 steps, after which a variable has its new value', async () => {
      await page.keyboard.press('Control+Shift+D')
      await expect(row(page, 'Variables', /^result/)).toContainText('0')
      await page.keyboard.press('F10')
      await expect(toolbar).toContainText('Paused on step')
      await expect(row(page, 'Variables', /^result/)).toContainText('1')
      await checkView(page, `a program that ${title} has stopped`)
    })

    if (title === 'js-debug')
      await test.step('a frame of Node opens its source, which is no file, read-only', async () => {
        await row(page, 'Call stack', /loader/).click()
        await expect(page.getByText(/Library file outside this folder \(read-only\)/)).toBeVisible()
        await expect(page.locator('.view-line').filter({ hasText: /\S/ }).first()).toBeVisible()
        await row(page, 'Call stack', /total/).click()
        await expect(cursorPosition(page)).toHaveText(/^Ln 3,/)
      })

    await test.step('F2 changes the value', async () => {
      await selectVariable(page, /^result/)
      await page.keyboard.press('F2')
      await page.getByRole('textbox', { name: 'Value of result' }).fill('100')
      await page.keyboard.press('Enter')
      await expect(row(page, 'Variables', /^result/)).toContainText('100')
    })

    await test.step('without the breakpoint, F5 continues to the end with the changed value', async () => {
      await page.keyboard.press('Control+1')
      await goTo(page, `${line}:1`)
      await page.keyboard.press('F9')
      await expect(page.locator('.debug-glyph-enabled')).toHaveCount(0)
      await page.keyboard.press('F5')
      // The rest of 1 + 2 + 3 is added to 100.
      await expect(tree(page, 'Debug console output')).toContainText('total 105')
      await expect(toolbar).toBeHidden()
    })
  })

test('a program that reads its input stops, and its terminal is in front', async ({ launch }) => {
  const missing = await whyNoDebugpy()
  test.skip(missing !== null, missing ?? '')
  const { page } = await launch({
    files: {
      'main.py': 'name = input("Name? ")\nprint("Hello", name)\nprint("bye")\n',
      '.vscode/launch.json': JSON.stringify({
        configurations: [
          {
            name: 'Greet',
            type: 'debugpy',
            request: 'launch',
            program: '${workspaceFolder}/main.py',
            console: 'integratedTerminal',
          },
        ],
      }),
    },
    settings: { theme: 'system', ...withoutServers },
  })
  await openFile(page, 'main.py')
  await goTo(page, '2:1')
  await page.keyboard.press('F9')
  await runPalette(page, 'Start debugging…')
  await page.getByRole('option', { name: 'Greet' }).waitFor()
  await page.keyboard.type('Greet')
  await page.keyboard.press('Enter')
  const terminal = page.locator('.xterm').filter({ hasText: 'Name?' })
  await expect(terminal).toBeVisible({ timeout: 60_000 })
  await terminal.click()
  await page.keyboard.type('Ada')
  await page.keyboard.press('Enter')
  const toolbar = page.getByRole('toolbar', { name: 'Debugging' })
  await expect(toolbar).toContainText('Paused on breakpoint')
  await page.keyboard.press('Control+Shift+D')
  await expect(row(page, 'Variables', /^name/)).toContainText("'Ada'")
  await checkView(page, 'a stopped program with a terminal')
  await page.keyboard.press('Control+1')
  await page.keyboard.press('F5')
  await expect(terminal).toContainText('Hello Ada')
  await expect(toolbar).toBeHidden()
})

test('output while the window reconnects is neither missing nor doubled', onlyBrowser, async ({ launch }) => {
  const missing = await whyNoDebugpy()
  test.skip(missing !== null, missing ?? '')
  const numbers = Array.from({ length: 80 }, (_, number) => number)
  const counting = `import time\nfor number in range(${numbers.length}):\n    print(number, end=" ", flush=True)\n    time.sleep(0.1)\nprint("end")\n`
  const { page, reload } = await launch({ files: { 'count.py': counting }, settings: withoutServers })
  let online = true
  const sockets: WebSocketRoute[] = []
  await page.routeWebSocket(/\/bridge$/, (socket) => {
    if (!online) return socket.close()
    socket.connectToServer()
    sockets.push(socket)
    return undefined
  })
  await reload()
  await openFile(page, 'count.py')
  await page.keyboard.press('F5')
  await runPalette(page, 'Show debug console')
  const output = tree(page, 'Debug console output')
  await expect(output).toContainText('0 1 2 3', { timeout: 60_000 })
  online = false
  for (const socket of sockets) await socket.close()
  await expect(page.getByText('The connection to Tizona was lost.')).toBeVisible()
  await page.waitForTimeout(1000)
  online = true
  await expect(output).toContainText(`${numbers.join(' ')} end`, { timeout: 60_000 })
})
