import {
  memo,
  useContext,
  useMemo,
  useRef,
  type ComponentProps,
  type ReactNode,
  useSyncExternalStore,
  useState,
} from 'react'
import ReactMarkdown from 'react-markdown'
import type { Components, ExtraProps, Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import remarkMath from 'remark-math'
import { request } from '../bridge/bridge.ts'
import { openLocation } from '../editor/openLocation.ts'
import { attempt } from '../notices.ts'
import { MentionLink } from '../textLinks/MentionLink.tsx'
import { Icon } from '../../ui/index.ts'
import { openExternal } from '../openExternal.ts'
import { blocksOfFinished, splitBlocks, type MarkdownBlocks } from './blocks.ts'
import { CodeBlock } from './CodeBlock.tsx'
import { Diagram } from './Diagram.tsx'
import { headingFragments, headingLine, linkTarget } from './links.ts'
import { MarkdownFile, pathFrom } from './markdownFile.ts'
import { mentionOfNode, rehypeMentions } from './rehypeMentions.ts'
import { remarkTex } from './remarkTex.ts'
import { Tex } from './Tex.tsx'
import './markdown.css'
import { logError } from '../windowLog.ts'
import { imageTypeOf } from '../editor/fileViews.tsx'
import { dataUrl, useFileBytes } from '../editor/documents/useFileBytes.ts'

/**
 * Renders Markdown from a model or a file. Raw HTML is shown as text. Images are not loaded, because a URL can leak
 * data; a file's preview shows images from the workspace. Links open in the editor or, through main, in the browser.
 * While text streams, only the last block is parsed again.
 */
export const Markdown = memo(function Markdown({ text, streaming }: { text: string; streaming: boolean }) {
  const known = useRef<MarkdownBlocks | undefined>(undefined)
  if (!streaming) {
    return (
      <div className="markdown">
        {blocksOfFinished(text, known.current).map((block, index) => (
          <Block key={index} text={block} finished />
        ))}
      </div>
    )
  }
  const blocks = splitBlocks(text, known.current)
  known.current = blocks
  return (
    <div className="markdown">
      {/* Finished blocks are only appended, so the index identifies them. */}
      {blocks.finished.map((block, index) => (
        <Block key={index} text={block} finished />
      ))}
      {blocks.openFence ? (
        <CodeBlock language={blocks.openFence.language} code={blocks.openFence.code} />
      ) : (
        blocks.rest.trim() !== '' && <Block key={blocks.finished.length} text={blocks.rest} finished={false} />
      )}
    </div>
  )
})

const remarkPlugins: NonNullable<Options['remarkPlugins']> = [
  remarkGfm,
  [remarkMath, { singleDollarTextMath: false }],
  remarkTex,
]
const components: Components = {
  a: Anchor,
  code: Code,
  img: Image,
  pre: Pre,
  table: Table,
  input: TaskBox,
  // A list in Arabic or Hebrew has its markers on the right.
  ul: ({ node: _node, ...list }) => <ul dir="auto" {...list} />,
  ol: ({ node: _node, ...list }) => <ol dir="auto" {...list} />,
}

const Block = memo(function Block({ text, finished }: { text: string; finished: boolean }) {
  const highlight = useHighlighter()
  // Growing text would mention a different file with each token. A previewed file has only its own links.
  const linked = useContext(MarkdownFile) === null && finished
  const rehypePlugins = useMemo(() => [...(highlight ?? []), ...(linked ? [rehypeMentions] : [])], [highlight, linked])
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={components}
      urlTransform={keepUrl}
    >
      {text}
    </ReactMarkdown>
  )
})

/** Passes URLs through unchecked. `linkTarget` checks those of links when they are rendered; no others are used. */
function keepUrl(url: string): string {
  return url
}

/** Scrolls to a heading or footnote in the link's text, and focuses it. */
function showHeading(link: HTMLElement, heading: string): void {
  const text = link.closest('.markdown-preview') ?? link.closest('.markdown')
  const headings = [...(text?.querySelectorAll<HTMLElement>('h1, h2, h3, h4, h5, h6') ?? [])]
  const at = headingFragments(headings.map(({ textContent }) => textContent)).indexOf(heading.toLowerCase())
  const target = headings[at] ?? text?.querySelector<HTMLElement>(`[id="${CSS.escape(heading)}"]`)
  if (!target) return
  if (target.tabIndex < 0) target.tabIndex = -1
  target.focus({ preventScroll: true })
  target.scrollIntoView({ block: 'start' })
}

async function openAtHeading(path: string, heading: string): Promise<void> {
  const { text } = await request('files.read', { path })
  openLocation(path, headingLine(text, heading))
}

function Anchor({ href, children, node, id }: ComponentProps<'a'> & ExtraProps) {
  const file = useContext(MarkdownFile)
  const mention = mentionOfNode(node)
  if (mention) return <MentionLink mention={mention}>{children}</MentionLink>
  const target = linkTarget(href)
  if (target.kind === 'none') return <span>{children}</span>
  if (target.kind === 'web') {
    return (
      <a
        href={target.url}
        title={target.url}
        rel="noreferrer noopener"
        onClick={(event) => {
          event.preventDefault()
          openExternal(target.url)
        }}
        onAuxClick={(event) => event.preventDefault()}
      >
        {children}
      </a>
    )
  }
  if (target.kind === 'heading')
    return (
      <button
        id={id}
        type="button"
        className="markdown-file"
        title={`Go to ${target.heading}`}
        onClick={(event) => showHeading(event.currentTarget, target.heading)}
      >
        {children}
      </button>
    )
  const { heading, line, column } = target
  const path = pathFrom(file, target.path)
  return (
    <button
      type="button"
      className="markdown-file"
      title={`Open ${target.path}`}
      onClick={() =>
        heading !== undefined && /\.(?:md|markdown|mdx)$/i.test(path)
          ? attempt(() => openAtHeading(path, heading))
          : openLocation(path, line, column)
      }
    >
      {children}
    </button>
  )
}

function Image({ alt, src }: ComponentProps<'img'> & ExtraProps) {
  const file = useContext(MarkdownFile)
  const target = linkTarget(typeof src === 'string' ? src : undefined)
  if (file !== null && target.kind === 'file') return <FileImage path={pathFrom(file, target.path)} alt={alt ?? ''} />
  return (
    <span className="markdown-image">
      <Icon name="file-media" />
      {alt ? alt : 'Image'}
      {target.kind === 'web' && (
        <span className="markdown-image-source">{`Not loaded from ${new URL(target.url).host}`}</span>
      )}
    </span>
  )
}

interface HastNode {
  type: string
  value?: string
  tagName?: string
  properties?: Record<string, unknown>
  children?: readonly unknown[]
}

function isNode(value: unknown): value is HastNode {
  return typeof value === 'object' && value !== null && 'type' in value
}

function textOf(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'text') return node.value ?? ''
  return (node.children ?? []).map(textOf).join('')
}

function classesOf(node: unknown): string[] {
  return isNode(node) && Array.isArray(node.properties?.className) ? node.properties.className.map(String) : []
}

/** Inline code, or a formula, which Markdown marks as code. */
function Code({ node, children }: ComponentProps<'code'> & ExtraProps) {
  const classes = classesOf(node)
  if (!classes.includes('language-math')) return <code>{children}</code>
  return <Tex source={textOf(node).trim()} display={classes.includes('math-display')} />
}

function Pre({ node, children }: ComponentProps<'pre'> & ExtraProps) {
  const code: unknown = node?.children[0]
  const language = classesOf(code)
    .find((name) => name.startsWith('language-'))
    ?.slice('language-'.length)
    .toLowerCase()
  const source = textOf(code).replace(/\n$/, '')
  if (language === 'math') return <Tex source={source} display />
  if (language === 'mermaid') return <Diagram source={source} />
  const isHighlighted = isNode(code) && code.children?.some((child) => isNode(child) && child.type === 'element')
  return (
    <CodeBlock language={language ?? ''} code={source}>
      {isHighlighted ? withoutLastBreak(childrenOf(children)) : undefined}
    </CodeBlock>
  )
}

/** Removes the line break that Markdown puts at the end of every code block. */
function withoutLastBreak(children: ReactNode): ReactNode {
  if (!Array.isArray(children)) return children
  // React nodes. Text is a string.
  const nodes = children as ReactNode[]
  const last = nodes.at(-1)
  return typeof last === 'string' ? [...nodes.slice(0, -1), last.replace(/\n$/, '')] : nodes
}

/** Returns the highlighted children of a <code> element. */
function childrenOf(element: ReactNode): ReactNode {
  if (typeof element === 'object' && element !== null && 'props' in element) {
    const { props } = element
    if (typeof props === 'object' && props !== null && 'children' in props) {
      // react-markdown passes ReactNode children to <code>.
      return props.children as ReactNode
    }
  }
  return element
}

function Table({ children }: ComponentProps<'table'> & ExtraProps) {
  return (
    <div className="markdown-table" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  )
}

function TaskBox({ checked }: ComponentProps<'input'> & ExtraProps) {
  return (
    <Icon
      name={checked ? 'pass-filled' : 'circle-large'}
      className="markdown-task"
      label={checked ? 'Done' : 'To do'}
    />
  )
}

type Plugins = NonNullable<Options['rehypePlugins']>

let plugins: Plugins | undefined
let loading: Promise<void> | undefined
const listeners = new Set<() => void>()

/** Loads the grammars, which are as large as the rest of the panel. Code is plain text until then. */
async function load(): Promise<void> {
  const { default: rehypeHighlight } = await import('rehype-highlight')
  // Shared by all blocks, because creating a transformer registers every grammar.
  const transform = rehypeHighlight({ detect: false })
  plugins = [() => transform]
  for (const listener of listeners) listener()
}

/** The highlighting plugin, or undefined until it is loaded. */
function useHighlighter(): Plugins | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      loading ??= load().catch((error: unknown) => {
        // Code stays plain text. The next code block tries again.
        loading = undefined
        logError('Syntax highlighting could not be loaded', error)
      })
      return () => listeners.delete(listener)
    },
    () => plugins,
  )
}

/** Maximum size of an image in a preview, in bytes. */
const maxBytes = 4 * 1024 * 1024

/** A workspace image in a Markdown preview. */
function FileImage({ path, alt }: { path: string; alt: string }) {
  const type = imageTypeOf(path)
  const { loaded, failure } = useFileBytes(path, 0, maxBytes)
  const [broken, setBroken] = useState('')
  const tooLarge = loaded !== null && loaded.size > maxBytes
  const source = useMemo(
    () => (loaded && type !== null && !tooLarge ? dataUrl(loaded.bytes, type) : null),
    [loaded, type, tooLarge],
  )
  if (source !== null && source !== broken)
    return <img className="markdown-picture" src={source} alt={alt} onError={() => setBroken(source)} />
  const why = failure
    ? failure.code === 'not_found'
      ? 'Image not found'
      : 'The image cannot be read'
    : tooLarge
      ? 'The image is too large'
      : source === null && type !== null
        ? ''
        : 'The file is not an image'
  return (
    <span className="markdown-image">
      <Icon name="file-media" />
      {alt || path}
      {why && <span className="markdown-image-source">{why}</span>}
    </span>
  )
}
