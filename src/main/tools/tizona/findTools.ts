import { z } from 'zod'
import { stem, synonyms } from '../../code/describe/descriptionTerms.ts'
import { identifierWords } from '../../code/index/words.ts'
import { foldName } from '../arguments/foreignTools.ts'
import { firstSentence, isObject, offeredParameters } from '../schema/toolSchema.ts'
import { defineTool, type Tool } from '../common/toolDefinition.ts'
import { callTool } from './callTool.ts'

/** Maximum number of tools to return with their parameters. */
const maxFound = 3
/** Maximum number of further tools to name, so that a wrong guess needs no second search. */
const maxNamed = 10
/** Minimum score, relative to the best tool, for returning parameters. */
const minShare = 0.5
/** Weights of a term in the query by where it occurs in a tool. */
const weights = { name: 3, description: 1, parameter: 0.5 } as const
const fieldNames = ['name', 'description', 'parameter'] as const
/** Weight of a synonym relative to the same word. */
const synonymShare = 0.6

/** Finds tools that the prompt does not list. Their parameters arrive as a result, so the prompt stays the same. */
export const findTools: Tool = defineTool({
  name: 'find_tools',
  aliases: ['tool_search', 'search_tools', 'ToolSearch'],
  title: 'Find tools',
  description: 'Finds more tools by what they do.',
  risk: 'read',
  schema: () => z.object({ query: z.string().min(1).max(1000).describe('What you want to do, or names of tools.') }),
  parameterAliases: { q: 'query', search: 'query', name: 'query', task: 'query' },
  examples: [{ query: 'rename a symbol in all files' }],
  run({ query }, { tools = [] }) {
    const others = tools.filter((tool) => tool !== findTools && tool !== callTool)
    const ranked = rankTools(others, query)
    const further = ranked.slice(maxFound, maxFound + maxNamed).map(({ name }) => name)
    const lines =
      ranked.length === 0
        ? [
            'No tool matches. The available tools are:',
            ...others.map(({ name, description }) => `${name}: ${firstSentence(description)}`),
          ]
        : ['Call these with call_tool:', ...ranked.slice(0, maxFound).map(describe)]
    return Promise.resolve({
      text: [...lines, ...(further.length > 0 ? [`Also: ${further.join(', ')}`] : [])].join('\n'),
    })
  },
})

/** Returns the definition of a tool as models get it, on one line. */
function describe(tool: Tool): string {
  return JSON.stringify({ name: tool.name, description: tool.description, parameters: offeredParameters(tool) })
}

/** Returns the tools that a query names, otherwise those that match it, best first. */
function rankTools(tools: readonly Tool[], query: string): Tool[] {
  const words = query.split(/[\s,:]+/).map(foldName)
  const exact = tools.filter(({ name, aliases = [] }) =>
    [name, ...aliases].some((own) => words.includes(foldName(own))),
  )
  const terms = [...new Set(extractTerms(query))]
  const indexed = tools.map((tool) => ({ tool, fields: fieldsOf(tool) }))
  const scored = indexed.map(({ tool, fields }) => {
    const score = terms.reduce((sum, term) => sum + scoreOf(term, fields) * rarity(term, indexed), 0)
    return { tool, score }
  })
  const best = Math.max(0, ...scored.map(({ score }) => score))
  const matching = scored
    .filter(({ score }) => score > 0 && score >= best * minShare)
    .toSorted((a, b) => b.score - a.score)
    .map(({ tool }) => tool)
  return [...new Set([...exact, ...matching])]
}

type Fields = Readonly<Record<keyof typeof weights, ReadonlySet<string>>>

/** Returns the stems of all words of a text. Keeps common programming terms, because rarity decides the weight. */
const extractTerms = (text: string): string[] =>
  identifierWords(text)
    .filter((word) => word.length > 2)
    .map(stem)

function fieldsOf(tool: Tool): Fields {
  const { properties } = offeredParameters(tool)
  const parameters = isObject(properties) ? Object.entries(properties) : []
  const texts = parameters.map(([name, field]) =>
    isObject(field) && typeof field.description === 'string' ? `${name} ${field.description}` : name,
  )
  return {
    name: new Set(extractTerms(tool.name)),
    description: new Set(extractTerms(`${tool.title} ${tool.description}`)),
    parameter: new Set(extractTerms(texts.join(' '))),
  }
}

function scoreOf(term: string, fields: Fields): number {
  const weightOf = (word: string) => Math.max(0, ...fieldNames.map((at) => (fields[at].has(word) ? weights[at] : 0)))
  return Math.max(weightOf(term), ...synonyms(term).map((word) => weightOf(word) * synonymShare))
}

/** A term that occurs in few tools is more significant. */
function rarity(term: string, tools: readonly { fields: Fields }[]): number {
  const having = tools.filter(({ fields }) => scoreOf(term, fields) > 0).length
  return Math.log(1 + tools.length / Math.max(1, having))
}
