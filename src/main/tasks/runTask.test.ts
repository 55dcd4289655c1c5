import { expect, it, onTestFinished } from 'vitest'
import { sandboxedJobs } from '../command/testing/sandboxedJobs.ts'
import { temporaryFolder } from '../tools/testing/toolContext.ts'
import { createLineMatcher } from './lineMatcher.ts'
import { runTask } from './runTask.ts'
import { commandsOfPlan, inputsOfTask, planTask, type TaskPlan } from './taskPlan.ts'

const variables = { root: '/w', home: '/home/me', environment: {}, active: null, inputs: { x: '1' } }
const never = new AbortController().signal

function sources(tasks: object[], packageJson = '') {
  return { tasks: JSON.stringify({ tasks, inputs: [{ id: 'x' }] }), packageJson, manager: 'npm' }
}
const plan = (name: string, tasks: object[], packageJson?: string): TaskPlan =>
  planTask(name, sources(tasks, packageJson), variables)

async function folder() {
  const { root, remove } = await temporaryFolder({})
  const jobs = await sandboxedJobs(root)
  onTestFinished(async () => {
    await jobs.dispose()
    await remove()
  })
  return { root, jobs }
}

it('finds tasks by label, scripts, the default build task, and what they depend on', () => {
  const tasks = [
    { label: 'all', dependsOn: ['one', 'npm: build'], dependsOrder: 'sequence' },
    { label: 'one', command: 'echo ${input:x}', options: { env: { A: 'b c' } } },
    { label: 'two', command: 'make', group: { kind: 'build', isDefault: true } },
  ]
  const packageJson = '{"scripts":{"build":"x"}}'
  expect(commandsOfPlan(plan('all', tasks, packageJson))).toEqual(["export A='b c' && echo 1", 'npm run build'])
  expect(commandsOfPlan(plan('${defaultBuildTask}', tasks))).toEqual(['make'])
  expect(inputsOfTask('all', sources(tasks, packageJson))).toEqual({ needed: ['x'], inputs: [{ id: 'x' }] })
})

it('unknown tasks, cycles, unknown types and background tasks without patterns are refused', () => {
  expect(() => plan('none', [{ label: 'one', command: 'x' }])).toThrow('There is no task "none"')
  expect(() => plan('tsc: build', [])).toThrow('tasks from VS Code extensions')
  expect(() =>
    plan('a', [
      { label: 'a', dependsOn: 'b' },
      { label: 'b', dependsOn: 'a' },
    ]),
  ).toThrow('a → b → a')
  expect(() => plan('a', [{ label: 'a', type: 'gulp' }])).toThrow('the type "gulp" is not supported')
  expect(() => plan('a', [{ label: 'a', command: 'x', isBackground: true }])).toThrow(
    'nothing signals when it is ready',
  )
})

it('tasks in sequence run one after the other, and a failing one is an error with its output', async () => {
  const deps = await folder()
  const tasks = [
    { label: 'all', command: 'cat out', dependsOn: ['slow', 'fast'], dependsOrder: 'sequence' },
    { label: 'slow', command: 'sleep 0.3 && echo slow >> out' },
    { label: 'fast', command: 'echo fast >> out' },
    { label: 'bad', command: 'cat out && exit 3' },
  ]
  await runTask(plan('all', tasks), deps, never)
  expect(deps.jobs.list().map(({ command }) => command)).toContain('cat out')
  await expect(runTask(plan('bad', tasks), deps, never)).rejects.toMatchObject({
    message: 'The task "bad" failed with exit code 3.',
    detail: 'slow\nfast',
  })
})

it('a failing task ends those that run beside it', async () => {
  const deps = await folder()
  const tasks = [
    { label: 'all', dependsOn: ['long', 'bad'] },
    { label: 'long', command: 'sleep 60' },
    { label: 'bad', command: 'exit 2' },
  ]
  await expect(runTask(plan('all', tasks), deps, never)).rejects.toThrow('"bad" failed with exit code 2')
  expect(deps.jobs.list().every(({ endedAt }) => endedAt !== undefined)).toBe(true)
})

const background = (command: string, patterns: object) => [
  { label: 'watch', command, isBackground: true, problemMatcher: { background: patterns } },
]

it('a background task is ready after its end pattern follows its begin pattern, and keeps running', async () => {
  const deps = await folder()
  const command = 'echo ready; sleep 0.3; echo start; sleep 0.3; echo ready; sleep 60'
  const before = performance.now()
  await runTask(plan('watch', background(command, { beginsPattern: '^start', endsPattern: '^ready' })), deps, never)
  expect(performance.now() - before).toBeGreaterThan(550)
  expect(deps.jobs.list()[0]?.endedAt).toBeUndefined()
})

it('a background task that still runs does not start again', async () => {
  const deps = { ...(await folder()), background: new Map<string, string>() }
  const watch = plan('watch', background('echo ready; sleep 60', { endsPattern: 'ready' }))
  await runTask(watch, deps, never)
  await runTask(watch, deps, never)
  const [job, ...others] = deps.jobs.list()
  expect(others).toEqual([])
  await deps.jobs.stop(job?.id ?? '')
  await runTask(watch, deps, never)
  expect(deps.jobs.list().filter(({ endedAt }) => endedAt === undefined)).toHaveLength(1)
})

it('a matcher has the patterns of its base', () => {
  const [watch] = background('x', {})
  const based = (problemMatcher: object) => plan('watch', [{ ...watch, problemMatcher }]).background
  const base = based({ base: '$tsc-watch' })
  expect(base?.ends).toContain('Watching for file changes')
  expect(based({ base: '$tsc-watch', background: { endsPattern: 'own' } })).toEqual({ ...base, ends: 'own' })
  expect(() => based({ base: '$other' })).toThrow('nothing signals when it is ready')
})

it('a background task that ends or is never ready is an error', async () => {
  const deps = await folder()
  await expect(
    runTask(plan('watch', background('echo no; exit 4', { endsPattern: 'ready' })), deps, never),
  ).rejects.toThrow('"watch" failed with exit code 4')
  await expect(
    runTask(plan('watch', background('sleep 60', { endsPattern: 'ready' })), { ...deps, readyMs: 500 }, never),
  ).rejects.toThrow('"watch" was not ready after 0.5 s')
  expect(deps.jobs.list().every(({ endedAt }) => endedAt !== undefined)).toBe(true)
})

it('cancelling ends the task', async () => {
  const deps = await folder()
  await expect(
    runTask(plan('a', [{ label: 'a', command: 'sleep 60' }]), deps, AbortSignal.timeout(400)),
  ).rejects.toThrow()
  expect(deps.jobs.list().every(({ endedAt }) => endedAt !== undefined)).toBe(true)
})

it('a pattern that takes forever does not block, and is an error', async () => {
  const matcher = createLineMatcher([null, '^(a+)+$'], 1500)
  expect(await matcher.match(['aaa', 'b'], never)).toEqual([
    [false, true],
    [false, false],
  ])
  let ticks = 0
  const timer = setInterval(() => ticks++, 20)
  await expect(matcher.match([`${'a'.repeat(60)}!`], never)).rejects.toThrow('Matching a pattern took too long')
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(20)
  await expect(createLineMatcher(['(']).match(['x'], never)).rejects.toThrow('is not a valid regular expression')
})
