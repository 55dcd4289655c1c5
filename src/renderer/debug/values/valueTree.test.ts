import { beforeEach, describe, expect, it } from 'vitest'
import { ToolError } from '../../../shared/errors.ts'
import type { RequestParams } from '../../../shared/bridge/protocol.ts'
import { testMain, type TestMain } from '../../testing/testMain.ts'
import { variable } from '../testing/sessions.ts'
import { createValueTree, rangesOf, scopeNode, valueRows, type ValueNode, type ValueTree } from './valueTree.ts'

let main: TestMain
beforeEach(() => {
  main = testMain()
})

const queries = (): RequestParams<'debug.variables'>[] =>
  // The requests of this name have these parameters.
  main.requests
    .filter(({ method }) => method === 'debug.variables')
    .map(({ params }) => params as RequestParams<'debug.variables'>)

const locals = scopeNode({ name: 'Locals', reference: 1, expensive: false }, true)

async function show(tree: ValueTree, stop: string, roots: readonly ValueNode[] = [locals]): Promise<void> {
  await tree.replace({ sessionId: 'debug-1', roots, place: 'total', stop, isCurrent: () => true })
}

function texts(tree: ValueTree): string[] {
  const state = tree.use.getState()
  return valueRows(state, state.roots).map((row) =>
    row.kind === 'value'
      ? `${'  '.repeat(row.depth - 1)}${row.node.name}${row.node.value === '' ? '' : `=${row.node.value}`}${row.changed ? ' *' : ''}`
      : `${'  '.repeat(row.depth - 1)}${row.kind === 'more' ? 'more' : row.text}`,
  )
}

function node(tree: ValueTree, name: string): ValueNode {
  const state = tree.use.getState()
  const found = valueRows(state, state.roots).find((row) => row.kind === 'value' && row.node.name === name)
  if (found?.kind !== 'value') throw new Error(`No row ${name}`)
  return found.node
}

describe('ranges', () => {
  it('are at most 100 at each level', () => {
    const parent = { ...locals, indexed: 10_000_000 }
    const first = rangesOf(parent, 0, 10_000_000)
    expect(first.map(({ name }) => name).slice(0, 2)).toEqual(['[0…999999]', '[1000000…1999999]'])
    expect(first).toHaveLength(10)
    const second = rangesOf(parent, 1_000_000, 1_000_000)
    expect(second).toHaveLength(100)
    expect(second.at(-1)?.range).toEqual({ start: 1_990_000, count: 10_000 })
    expect(rangesOf(parent, 0, 250).map(({ name }) => name)).toEqual(['[0…99]', '[100…199]', '[200…249]'])
    expect(rangesOf(parent, 0, 100)).toEqual([])
  })
})

describe('a tree of values', () => {
  it('reads only the shown elements of an array with ten million', async () => {
    main.responses['debug.variables'] = ({ reference, start, count, filter }) => {
      if (reference === 1) return [variable('numbers', 'list', { reference: 2, indexed: 10_000_000 })]
      expect([filter, count]).toEqual(['indexed', 100])
      return Array.from({ length: count ?? 0 }, (_, index) => variable(String((start ?? 0) + index), '0'))
    }
    const tree = createValueTree()
    await show(tree, '1')
    for (const name of ['numbers', '[3000000…3999999]', '[3000000…3009999]', '[3000000…3000099]'])
      await tree.toggle(node(tree, name))
    expect(texts(tree)).toContain('          3000042=0')
    // The scope, and one page.
    expect(queries()).toHaveLength(2)
    expect(queries()[1]).toMatchObject({ start: 3_000_000, count: 100 })
  })

  it('keeps what is expanded after a step, and marks values that have changed', async () => {
    let price = 2
    let reference = 10
    main.responses['debug.variables'] = (query) => {
      if (query.reference === 1)
        return [variable('item', `price ${price}`, { reference: ++reference }), variable('rate', '2')]
      // References of the stop before are not valid.
      expect(query.reference).toBe(reference)
      return [variable('price', String(price)), variable('name', 'Ada')]
    }
    const tree = createValueTree()
    await show(tree, '1')
    await tree.toggle(node(tree, 'item'))
    expect(texts(tree)).toEqual(['Locals', '  item=price 2', '    price=2', '    name=Ada', '  rate=2'])
    price = 3
    await show(tree, '2')
    expect(texts(tree)).toEqual(['Locals', '  item=price 3 *', '    price=3 *', '    name=Ada', '  rate=2'])
    // Reading the same stop again, for example after a value was set, compares with the stop before.
    await show(tree, '2')
    expect(texts(tree)[2]).toBe('    price=3 *')
    await show(tree, '3')
    expect(texts(tree)[2]).toBe('    price=3')
  })

  it('expands a value that contains itself one level at a time', async () => {
    main.responses['debug.variables'] = () => [variable('self', 'Node', { reference: 1 })]
    const tree = createValueTree()
    await show(tree, '1')
    expect(queries()).toHaveLength(1)
    await tree.toggle(node(tree, 'self'))
    expect(texts(tree)).toEqual(['Locals', '  self=Node', '    self=Node'])
    expect(queries()).toHaveLength(2)
    await show(tree, '2')
    expect(texts(tree)).toHaveLength(3)
  })

  it('loads children without a count in pages, also from a debugger that ignores them', async () => {
    const all = (count: number) => Array.from({ length: count }, (_, index) => variable(`v${index}`, '1'))
    main.responses['debug.variables'] = ({ start = 0, count = 100 }) => all(150).slice(start, start + count)
    const tree = createValueTree()
    await show(tree, '1')
    expect(texts(tree)).toHaveLength(102)
    expect(texts(tree).at(-1)).toBe('  more')
    await tree.loadMore(node(tree, 'Locals'))
    expect(texts(tree)).toHaveLength(151)
    expect(texts(tree).at(-1)).toBe('  v149=1')

    main.responses['debug.variables'] = () => all(100)
    await show(tree, '2')
    await tree.loadMore(node(tree, 'Locals'))
    expect(texts(tree)).toHaveLength(101)
  })

  it('shows why children could not be read, and reads them again', async () => {
    main.responses['debug.variables'] = () => {
      throw new ToolError('timeout', 'debugpy did not respond.')
    }
    const tree = createValueTree()
    await show(tree, '1')
    expect(texts(tree)).toEqual(['Locals', '  debugpy did not respond.'])
    main.responses['debug.variables'] = () => []
    await tree.toggle(locals)
    await tree.toggle(locals)
    expect(texts(tree)).toEqual(['Locals', '  Empty'])
  })

  it('distinguishes variables of one name', async () => {
    main.responses['debug.variables'] = () => [variable('x', '1'), variable('x', '2')]
    const tree = createValueTree()
    await show(tree, '1')
    const { roots, ...state } = tree.use.getState()
    expect(new Set(valueRows(state, roots).map(({ id }) => id)).size).toBe(3)
  })

  it('ignores children that arrive after the next stop', async () => {
    const late = Promise.withResolvers<never[]>()
    main.responses['debug.variables'] = ({ reference }) =>
      reference === 1 ? [variable('slow', 'list', { reference: 2 })] : late.promise
    const tree = createValueTree()
    await show(tree, '1')
    const expanding = tree.toggle(node(tree, 'slow'))
    main.responses['debug.variables'] = ({ reference }) =>
      reference === 1 ? [variable('slow', 'list', { reference: 3 })] : [variable('new', '1')]
    await show(tree, '2')
    late.resolve([])
    await expanding
    expect(texts(tree)).toEqual(['Locals', '  slow=list', '    new=1'])
  })
})
