import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApprovalRequest } from '../../../shared/tools/approval.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { ApprovalCard } from './ApprovalCard.tsx'
import { guardMilliseconds } from './enterGuard.ts'

const request: ApprovalRequest = {
  id: 'r1',
  callId: 'c1',
  tool: 'run_command',
  title: 'Run command',
  risk: 'execute',
  mode: 'safe',
  reason: 'Safe mode asks before a command runs.',
  destructive: [],
  arguments: { command: 'npm run lint' },
  command: 'npm run lint',
  prefix: 'npm run',
  cwd: '.',
  grantable: { exact: true, prefix: true },
  requestedAt: 1,
}

let main: TestMain
beforeEach(() => {
  vi.useFakeTimers()
  main = testMain()
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const decisions = () => main.requests.filter(({ method }) => method === 'approvals.decide').map(({ params }) => params)
const card = () => screen.getByTestId('approval-card')
const button = (name: string | RegExp) => screen.getByRole<HTMLButtonElement>('button', { name })
/** Advances the fake clock by milliseconds. */
function pass(time: number): void {
  act(() => {
    vi.advanceTimersByTime(time)
  })
}
const arm = () => pass(guardMilliseconds)
/** A key pressed and released. */
function press(target: Element, init: KeyboardEventInit = { key: 'Enter' }): void {
  fireEvent.keyDown(target, init)
  fireEvent.keyUp(target, init)
}

function show(more: Partial<ApprovalRequest> = {}) {
  return render(<ApprovalCard request={{ ...request, ...more }} />)
}

it('names another folder, and its paths are no links into this one', () => {
  const file = { path: 'src/a.ts', change: 'modified', added: 1, removed: 1, diff: '@@ -1 +1 @@\n-a\n+b\n' } as const
  const problems = [{ path: 'src/a.ts', line: 1, message: 'Wrong.' }]
  const { command: _command, ...call } = request
  const edit: ApprovalRequest = { ...call, preview: { kind: 'diff', files: [file], problems } }
  const links = () =>
    screen
      .queryAllByRole<HTMLButtonElement>('button', { name: /src\/a\.ts|Open diff/ })
      .filter((each) => !each.disabled && !each.hasAttribute('aria-expanded'))
  const { rerender } = render(<ApprovalCard request={edit} />)
  expect(links()).toHaveLength(3)
  rerender(<ApprovalCard request={edit} folder="~/harbour" />)
  screen.getByText('In ~/harbour')
  expect(links()).toEqual([])
})

it('shows the folder of a command, or that it is not known', () => {
  show({ cwd: '/etc' })
  expect(card().textContent).toContain('Folder: /etc')
  cleanup()
  show({ cwd: undefined })
  expect(card().textContent).toContain('Unknown folder')
})

it('shows what an external agent sent beside a command, and all of an unclear call with a preview', () => {
  const values = { permissions: 'network' }
  const shown = () => screen.queryByRole('region', { name: 'Arguments' })?.textContent
  show({ arguments: values })
  expect(shown()).toBeUndefined()
  cleanup()
  show({ fixedCommand: true, arguments: values })
  expect(shown()).toBe('permissionsnetwork')
  cleanup()
  const preview = { kind: 'diff' as const, files: [] }
  show({ command: undefined, preview, arguments: values })
  expect(shown()).toBeUndefined()
  cleanup()
  show({ command: undefined, preview, arguments: values, unclear: true })
  expect(shown()).toBe('permissionsnetwork')
})

it('does not offer to edit a command that an external agent runs itself', () => {
  show()
  expect(screen.queryByRole('button', { name: 'Edit command' })).not.toBeNull()
  cleanup()
  show({ fixedCommand: true })
  expect(screen.queryByRole('button', { name: 'Edit command' })).toBeNull()
})

describe('a new card', () => {
  it('ignores keys and clicks', () => {
    show()
    press(card())
    fireEvent.click(button(/Allow once/))
    pass(guardMilliseconds - 1)
    press(card())
    expect(decisions()).toEqual([])
    arm()
    press(card())
    expect(decisions()).toEqual([{ requestId: 'r1', decision: { kind: 'once' } }])
  })

  it('guards each further request in the same way', () => {
    const { rerender } = show()
    arm()
    rerender(<ApprovalCard request={{ ...request, id: 'r2' }} />)
    press(card())
    expect(decisions()).toEqual([])
  })

  it('takes the focus if the user is not typing', () => {
    show()
    expect(document.activeElement).toBe(card())
  })

  it('does not take the focus from a user who is typing', () => {
    const field = document.createElement('textarea')
    document.body.append(field)
    field.focus()
    show()
    expect(document.activeElement).toBe(field)
    field.remove()
  })
})

describe('Enter', () => {
  it('counts only after the card has had the focus long enough', () => {
    const begun = document.createElement('textarea')
    begun.value = 'and then'
    document.body.append(begun)
    begun.focus()
    show()
    pass(guardMilliseconds * 4)
    act(() => card().focus())
    expect(card().dataset['armed']).toBe('false')
    press(card())
    pass(guardMilliseconds - 1)
    press(card())
    expect(decisions()).toEqual([])
    pass(1)
    expect(card().dataset['armed']).toBe('true')
    press(card())
    expect(decisions()).toHaveLength(1)
    begun.remove()
  })

  it('that was held before the card had the focus counts only after release', () => {
    const begun = document.createElement('textarea')
    document.body.append(begun)
    fireEvent.keyDown(begun, { key: 'Enter' })
    show()
    arm()
    // Some systems send the repeats of a held key as presses.
    fireEvent.keyDown(card(), { key: 'Enter' })
    fireEvent.keyDown(card(), { key: 'Enter' })
    expect(decisions()).toEqual([])
    fireEvent.keyUp(card(), { key: 'Enter' })
    press(card())
    expect(decisions()).toHaveLength(1)
    begun.remove()
  })

  it('that is held down does not press a button', () => {
    show()
    arm()
    expect(fireEvent.keyDown(button('Refuse'), { key: 'Enter' })).toBe(true)
    expect(fireEvent.keyDown(button('Refuse'), { key: 'Enter', repeat: true })).toBe(false)
    fireEvent.keyUp(button('Refuse'), { key: 'Enter' })
  })
})

describe('a destructive call', () => {
  const reason = '`rm` deletes files permanently.'

  it.each([
    ['command', { command: 'rm -rf build', destructive: [reason] }],
    ['tool', { command: undefined, tool: 'delete_file', risk: 'destructive' as const, arguments: { path: 'a' } }],
  ])('has no default key and looks so: %s', (_, more) => {
    show(more)
    arm()
    press(card())
    press(card(), { key: 'Enter', ctrlKey: true })
    expect(decisions()).toEqual([])
    expect(card().dataset['destructive']).toBe('true')
    expect(card().className).toContain('approval-danger')
    expect(card().textContent).toContain('Destructive')
    expect(button('Allow once').className).toContain('ui-button-danger')
    expect(button('Allow once').textContent).toBe('Allow once')
    fireEvent.click(button('Allow once'))
    expect(decisions()).toHaveLength(1)
  })

  it('shows what it deletes, including hidden characters', () => {
    show({ command: 'rm a', destructive: ['`> a\u202etxt` replaces the file content.'] })
    const list = screen.getByRole('list', { name: 'What cannot be undone' })
    expect(list.textContent).toBe('> a\\u202etxt replaces the file content.')
    expect(list.querySelector('code')?.textContent).toBe('> a\\u202etxt')
  })

  it('does not include calls that only run a command', () => {
    show()
    expect(card().dataset['destructive']).toBe('false')
    expect(screen.queryByRole('list', { name: 'What cannot be undone' })).toBeNull()
  })
})

describe('the focus', () => {
  function composer(text: string): HTMLTextAreaElement {
    const field = document.createElement('textarea')
    field.className = 'composer-text'
    field.value = text
    document.body.append(field)
    field.focus()
    return field
  }

  it('is taken from an empty composer, but not from one with text', () => {
    const empty = composer('')
    show()
    expect(document.activeElement).toBe(card())
    empty.remove()
    cleanup()
    const begun = composer('and then')
    show()
    expect(document.activeElement).toBe(begun)
    begun.remove()
  })

  it('determines which key is shown', () => {
    const begun = composer('and then')
    show()
    expect(button(/Allow once/).textContent).toBe('Allow once')
    expect(card().textContent).toContain('Ctrl+Shift+Y moves the focus here.')
    act(() => card().focus())
    expect(button(/Allow once/).textContent).toBe('Allow once⏎')
    // In the field for the reason, Enter refuses the call, and no key allows it.
    act(() => screen.getByLabelText('Reason for refusing').focus())
    expect(button(/Allow once/).textContent).toBe('Allow once')
    arm()
    press(screen.getByLabelText('Reason for refusing'), { key: 'Enter', ctrlKey: true })
    expect(decisions()).toEqual([])
    fireEvent.click(button('Edit command'))
    act(() => screen.getByLabelText('Edited command').focus())
    expect(button(/Allow edited/).textContent).toBe('Allow editedCtrl ⏎')
    begun.remove()
  })

  it('does not move while a button is pressed, so that the button stays under the pointer', () => {
    show()
    expect(fireEvent.mouseDown(screen.getByRole('button', { name: /Allow once/ }))).toBe(false)
    expect(fireEvent.mouseDown(screen.getByRole('textbox', { name: 'Reason for refusing' }))).toBe(true)
  })

  it('returns to the composer when the card is removed after a click', () => {
    const lost = vi.fn()
    const { unmount } = render(<ApprovalCard request={request} onFocusLost={lost} />)
    arm()
    act(() => button('This exact command').focus())
    fireEvent.click(button('This exact command'))
    expect(document.activeElement).toBe(card())
    unmount()
    expect(lost).toHaveBeenCalledOnce()
  })

  it('moves to the composer with the first typed character', () => {
    const lost = vi.fn()
    render(<ApprovalCard request={request} onFocusLost={lost} />)
    arm()
    fireEvent.keyDown(card(), { key: 'h' })
    expect(lost).toHaveBeenCalledOnce()
    expect(decisions()).toEqual([])
  })

  it('stays in the card for the next request', () => {
    const lost = vi.fn()
    const { rerender } = render(<ApprovalCard request={request} onFocusLost={lost} />)
    rerender(<ApprovalCard request={{ ...request, id: 'r2' }} onFocusLost={lost} />)
    expect(lost).not.toHaveBeenCalled()
    expect(document.activeElement).toBe(card())
  })
})

describe('the answer', () => {
  it('is sent once for repeated presses', () => {
    show()
    arm()
    press(card())
    press(card())
    fireEvent.click(button(/Allow once/))
    expect(decisions()).toHaveLength(1)
  })

  it('is not sent by a held key or by Escape', () => {
    show()
    arm()
    fireEvent.keyDown(card(), { key: 'Enter', repeat: true })
    fireEvent.keyDown(card(), { key: 'Escape' })
    expect(decisions()).toEqual([])
  })

  it('is not sent by Enter on another button', () => {
    show()
    arm()
    press(button('Refuse'))
    expect(decisions()).toEqual([])
  })

  it('allows the exact command or its prefix for the session', () => {
    show()
    arm()
    fireEvent.click(button('This exact command'))
    expect(decisions()).toEqual([{ requestId: 'r1', decision: { kind: 'exact' } }])
    cleanup()
    show({ id: 'r2' })
    arm()
    fireEvent.click(button('All commands that start with npm run'))
    expect(decisions()[1]).toEqual({ requestId: 'r2', decision: { kind: 'prefix' } })
  })

  it('offers no prefix if the command has none', () => {
    show({ prefix: undefined, grantable: { exact: true, prefix: false } })
    expect(screen.queryByRole('button', { name: /every command|All calls of this tool/ })).toBeNull()
    expect(button('This exact command')).toBeTruthy()
  })

  it('for the session is not offered if it would have no effect', () => {
    show({ grantable: { exact: false, prefix: false } })
    expect(screen.queryByRole('button', { name: /All commands|This exact command/ })).toBeNull()
    expect(card().textContent).not.toContain('for this session')
  })

  it('offers one origin for web requests, and names the enclosing call', () => {
    show({
      command: undefined,
      prefix: undefined,
      tool: 'HttpFetch',
      title: 'Fetch from the web',
      risk: 'destructive',
      within: 'Several calls at once',
      arguments: { url: 'https://a.example/x', method: 'POST' },
      scope: 'POST https://a.example',
      grantable: { exact: true, prefix: false },
    })
    arm()
    expect(card().textContent).toContain('Part of "Several calls at once"')
    expect(screen.queryByRole('button', { name: 'All calls of this tool' })).toBeNull()
    fireEvent.click(button('All calls to POST https://a.example/…'))
    expect(decisions()).toEqual([{ requestId: 'r1', decision: { kind: 'scope' } }])
  })

  it('offers every call of the tool for calls other than commands', () => {
    show({
      command: undefined,
      prefix: undefined,
      tool: 'delete_file',
      title: 'Delete',
      risk: 'destructive',
      arguments: { path: 'a.ts' },
    })
    arm()
    expect(screen.getByRole('region', { name: 'Arguments' }).textContent).toContain('a.ts')
    fireEvent.click(button('All calls of this tool'))
    expect(decisions()).toEqual([{ requestId: 'r1', decision: { kind: 'prefix' } }])
  })

  it('refuses with a reason', () => {
    show()
    arm()
    fireEvent.change(screen.getByLabelText('Reason for refusing'), { target: { value: ' not on main ' } })
    fireEvent.click(button('Refuse'))
    expect(decisions()).toEqual([{ requestId: 'r1', decision: { kind: 'refuse', reason: 'not on main' } }])
  })

  it('sends an edited command', () => {
    show()
    arm()
    fireEvent.click(button('Edit command'))
    fireEvent.change(screen.getByLabelText('Edited command'), { target: { value: 'npm run lint -- --fix' } })
    press(screen.getByLabelText('Edited command'), { key: 'Enter', ctrlKey: true })
    expect(decisions()).toEqual([
      { requestId: 'r1', decision: { kind: 'once', editedCommand: 'npm run lint -- --fix' } },
    ])
  })

  it('is not sent by Enter while the command is edited, and Escape only ends editing', () => {
    show()
    arm()
    fireEvent.click(button('Edit command'))
    press(screen.getByLabelText('Edited command'))
    fireEvent.keyDown(screen.getByLabelText('Edited command'), { key: 'Escape' })
    expect(screen.queryByLabelText('Edited command')).toBeNull()
    expect(decisions()).toEqual([])
  })

  it('can be sent again if main refused it', async () => {
    main.responses['approvals.decide'] = () => {
      throw new Error('busy')
    }
    show()
    arm()
    fireEvent.click(button(/Allow once/))
    await act(async () => {
      await vi.advanceTimersByTimeAsync(1)
    })
    expect(button(/Allow once/).disabled).toBe(false)
  })
})

describe('the command', () => {
  it('is shown in full', () => {
    const command = `echo ${'a'.repeat(20_000)} ; rm -rf tail`
    show({ command })
    expect(screen.getByTestId('approval-command').textContent).toBe(command)
  })

  it('shows control and direction characters as symbols', () => {
    show({ command: 'ls \u001b[8m\u202e; rm\tx\n' })
    expect(screen.getByTestId('approval-command').textContent).toBe('ls \u241b[8m\\u202e; rm\tx\n')
    expect(card().textContent).toContain('Hidden characters')
  })
})
