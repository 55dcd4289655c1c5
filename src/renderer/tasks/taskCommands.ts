import { plural } from '../../shared/text/plural.ts'
import type { FoundTest, Task } from '../../shared/commands/tasks.ts'
import { request } from '../platform/bridge/bridge.ts'
import { handleCommand, runCommand } from '../platform/commands.ts'
import { viewOf } from '../platform/editor/editorViews.ts'
import { activeTab, useTabs } from '../platform/editor/tabsStore.ts'
import { documents } from '../platform/editor/documents/windowDocuments.ts'
import { notify } from '../platform/notices.ts'
import { quickPick } from '../platform/quickPick/quickPick.ts'

/** A command, and the folder of a multi-root workspace in which it runs. */
type FolderCommand = Pick<Task, 'command' | 'folder'>

/** The command that last ran in this window. */
let last: FolderCommand | undefined

function run({ command, folder }: FolderCommand): void {
  last = { command, folder }
  runCommand('terminal.run', { command, folder })
}

/** Asks for a task of the folder, and runs it in a new terminal. */
async function chooseTask(): Promise<void> {
  const tasks = await request('tasks.list', {})
  const picked = await quickPick({
    title: 'Run task',
    placeholder: 'Task',
    empty: 'No tasks in package.json, Makefile, justfile, Cargo.toml or .vscode/tasks.json.',
    items: tasks.map(({ name, command, source }, index) => ({
      id: String(index),
      label: name,
      description: command,
      detail: source,
      icon: 'play',
    })),
  })
  const task = picked && tasks[Number(picked.id)]
  if (task) run(task)
}

/** Finds the tests in the active file, including unsaved changes. Null if no file is active. */
async function testsOfActiveFile(): Promise<{ tests: FoundTest[]; line: number } | null> {
  const tabs = useTabs.getState()
  const tab = activeTab(tabs)
  if (tab?.kind !== 'file') return null
  const text = documents.buffer(tab.path)?.text()
  if (text === undefined) return null
  const line = viewOf(tabs.activeGroup)?.cursor().line ?? 1
  return { tests: await request('tests.find', { path: tab.path, text }), line }
}

function noTests(): void {
  notify('info', 'No test of a supported framework was found in this file.')
}

/** Runs the test at or above the cursor, or else the first one. */
async function runTestAtCursor(): Promise<void> {
  const found = await testsOfActiveFile()
  const test = found?.tests.findLast(({ line }) => line <= found.line) ?? found?.tests[0]
  if (test) run(test)
  else noTests()
}

/** Asks for a test of the active file and runs it. */
async function chooseTest(): Promise<void> {
  const found = await testsOfActiveFile()
  if (!found || found.tests.length === 0) return noTests()
  const { tests, line } = found
  const current = tests.findLast((test) => test.line <= line)
  const picked = await quickPick({
    title: 'Run test',
    placeholder: plural(tests.length, 'test'),
    items: tests.map((test, index) => ({
      id: String(index),
      label: test.name,
      detail: `line ${test.line}`,
      icon: 'beaker',
      current: test === current,
    })),
  })
  const test = picked && tests[Number(picked.id)]
  if (test) run(test)
}

/** Registers the commands of tasks and tests. @returns a function that unregisters them */
export function registerTasks(): () => void {
  const stops = [
    handleCommand('tasks.run', chooseTask),
    handleCommand('tasks.runLast', async () => (last === undefined ? chooseTask() : run(last))),
    handleCommand('tests.runAtCursor', runTestAtCursor),
    handleCommand('tests.list', chooseTest),
  ]
  return () => stops.forEach((stop) => stop())
}
