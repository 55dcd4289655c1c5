import { describe, expect, test } from 'vitest'
import { ToolError } from '../../shared/errors.ts'
import { createIsolatedJobs } from '../base/isolatedJob.ts'
import { isLongForm } from '../testing/longForm.ts'
import { pageLimits, readPage } from './pageReader.ts'
import { pageMarkdown } from './pageMarkdown.ts'

const base = 'https://site.test/docs/page.html'
const markdown = (body: string) => pageMarkdown(`<!doctype html><title>T</title><body>${body}`, base).markdown

describe('a page as Markdown', () => {
  test('has title, headings, lists, emphasis and absolute links', () => {
    const html =
      '<!doctype html><html><head><title> A\n page </title></head><body><h1>Head</h1><p>Some <b>bold</b> and <i>slanted</i> <a href="../x?a=1#b">link</a>.</p><ul><li>one<li>two</ul><ol><li>first</ol>'
    expect(pageMarkdown(html, base)).toMatchObject({
      title: 'A page',
      markdown:
        '# Head\n\nSome **bold** and *slanted* [link](https://site.test/x?a=1#b).\n\n-   one\n-   two\n\n1.  first',
    })
  })

  test('does not escape underscores', () => {
    expect(markdown('<p>snake_case_name * 2 [x] 1. a</p>')).toBe('snake_case_name * 2 [x] 1. a')
  })

  test('has code blocks with language and whitespace', () => {
    expect(markdown('<pre><code class="language-rust">fn main() {\n    x_y();\n}\n</code></pre>')).toBe(
      '```rust\nfn main() {\n    x_y();\n}\n```',
    )
    expect(markdown('<div><pre class="highlight-source-c">a\n  b</pre></div>')).toBe('```c\na\n  b\n```')
    expect(markdown('<pre>```\nin\n```</pre>')).toBe('````\n```\nin\n```\n````')
    expect(markdown('<p>call <code>a()</code></p>')).toBe('call `a()`')
  })

  test('has tables', () => {
    expect(
      markdown(
        '<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>1|2</td><td>x<br>y</td></tr></tbody></table>',
      ),
    ).toBe('| A | B |\n| --- | --- |\n| 1\\|2 | x y |')
    expect(markdown('<table><tr><td>1<td>2<tr><td>3<td>4</table>')).toBe('| 1 | 2 |\n| --- | --- |\n| 3 | 4 |')
  })

  test('tells text apart that its style makes invisible', () => {
    const html =
      '<p style="opacity: 0">a</p><p style="font-size:0px;color:red">b</p><p style="COLOR : transparent">c</p><p style="left:-9999px">d</p><p style="opacity:0.5;font-size:1em">seen</p>'
    expect(pageMarkdown(html, 'https://a.test/').invisible).toBe('a\nb\nc\nd')
  })

  test('omits scripts, menus, controls and hidden elements', () => {
    const clutter =
      '<script>evil()</script><style>a{}</style><nav>menu</nav><header>site</header><footer>legal</footer><button>Buy</button><div hidden>secret</div><p style="color:red;display: none">secret</p><svg><text>s</text></svg><iframe src=x></iframe><noscript>no</noscript>'
    expect(markdown(`${clutter}<p>text</p>`)).toBe('text')
  })

  test('is the main element if it contains most of the text', () => {
    expect(markdown('<div>around</div><main><header><h1>Head</h1></header>long enough to be it</main>')).toBe(
      '# Head\n\nlong enough to be it',
    )
    expect(markdown(`<article>teaser</article><div>${'the rest of the text '.repeat(10)}</div>`)).toContain('the rest')
    expect(markdown('<article>first</article><article>second</article>')).toMatch(/first[\s\S]*second/)
  })

  test('has image descriptions, and no links that run code', () => {
    expect(
      markdown(
        '<img src="https://track.test/x.png" alt="A chart"><img src=y.png><a href="javascript:alert(1)">run</a> <a href="#top">top</a> <a href="data:text/html,x">data</a>',
      ),
    ).toBe('[image: A chart]run top data')
  })

  test('is empty for an empty page', () => {
    expect(pageMarkdown('', base)).toMatchObject({ title: '', markdown: '' })
  })
})

describe('the process of a page', () => {
  const { signal } = new AbortController()
  const run = createIsolatedJobs()

  test('converts a page', async () => {
    expect(await readPage(run, '<title>T</title><p>text</p>', base, signal)).toMatchObject({
      title: 'T',
      markdown: 'text',
    })
  })

  test('rejects a page that is nested too deeply without blocking', async () => {
    await expect(readPage(run, `${'<div>'.repeat(8000)}text`, base, signal)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('nested'),
    })
    expect((await readPage(run, '<p>next</p>', base, signal)).markdown).toBe('next')
  })

  test('rejects a page that takes too long', async () => {
    await expect(
      readPage(run, `<table><tr>${'<td>|'.repeat(200_000)}`, base, signal, { ...pageLimits, cpuMs: 50 }),
    ).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('too long'),
    })
  })

  test('ends when the call is cancelled', async () => {
    const cancel = new AbortController()
    const reading = readPage(run, '<ul><li>'.repeat(20_000), base, cancel.signal)
    reading.catch(() => undefined)
    cancel.abort()
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    await expect(readPage(run, '', base, cancel.signal)).rejects.toMatchObject({ name: 'AbortError' })
  })

  // In a thread of this process, these ended the process itself: V8 cannot always stop at the limit of one heap.
  test.each([
    ['125,000 tables in each other', '<table>' + '<tr><td>'.repeat(125_000)],
    ['240,000 open paragraphs below 3,000 open elements', '<b>'.repeat(3000) + '<p>'.repeat(240_000)],
    ['90,000 links in each other', '<a href="x">'.repeat(90_000)],
    ['250,000 graphics in each other', `<svg>${'<g>'.repeat(250_000)}`],
    ['100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, index) => `a${index}=1`).join(' ')}>`],
    ['200,000 cells with separators', `<table><tr>${'<td>|'.repeat(200_000)}</table>`],
  ])('ends in place of the main process: %s', async (_, html) => {
    const limits = isLongForm ? pageLimits : { ...pageLimits, cpuMs: 1000, memoryMb: 128 }
    const answer = await readPage(run, html, base, signal, limits).catch((error: unknown) => error)
    expect(answer).toSatisfy(
      (given) => (given instanceof ToolError && given.code === 'too_large') || typeof given.markdown === 'string',
    )
  })
})
