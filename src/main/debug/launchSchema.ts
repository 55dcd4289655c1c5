import { z } from 'zod'
import { variableNames } from '../base/configurationVariables.ts'
import type { DebuggerDefinition } from './debuggerDefinition.ts'
import { debuggerTable } from './debuggerTable.ts'

const platformNames = ['windows', 'osx', 'linux'] as const

const inputSchema = z.discriminatedUnion('type', [
  z.object({
    id: z.string().min(1),
    type: z.literal('promptString'),
    description: z.string().default(''),
    default: z.string().optional(),
    password: z.boolean().default(false),
  }),
  z.object({
    id: z.string().min(1),
    type: z.literal('pickString'),
    description: z.string().default(''),
    default: z.string().optional(),
    options: z
      .array(z.union([z.string(), z.object({ label: z.string(), value: z.string() })]))
      .min(1)
      .max(1000),
  }),
])
export type LaunchInput = z.output<typeof inputSchema>

const platformPart = z.record(z.string(), z.unknown()).optional()

export const configurationSchema = z.looseObject({
  name: z.string().min(1),
  type: z.string().min(1),
  request: z.enum(['launch', 'attach']),
  preLaunchTask: z.string().optional(),
  postDebugTask: z.string().optional(),
  envFile: z.union([z.string(), z.array(z.string()).max(20)]).optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  args: z.union([z.string(), z.array(z.string())]).optional(),
  cwd: z.string().optional(),
  windows: platformPart,
  osx: platformPart,
  linux: platformPart,
})
export type LaunchConfiguration = z.output<typeof configurationSchema>

export const compoundSchema = z.object({
  name: z.string().min(1),
  configurations: z.array(z.string()).min(1).max(20),
  stopAll: z.boolean().default(false),
  preLaunchTask: z.string().optional(),
})
export type LaunchCompound = z.output<typeof compoundSchema>

export const launchFileSchema = z.object({
  configurations: z.array(z.unknown()).max(1000).default([]),
  compounds: z.array(z.unknown()).max(1000).default([]),
  inputs: z.array(z.unknown()).max(1000).default([]),
})

/** Inputs of launch.json or tasks.json that are valid, by id, and what is wrong with the others. */
export function readInputs(values: readonly unknown[]): {
  valid: Map<string, LaunchInput>
  problems: Map<string, string>
} {
  const valid = new Map<string, LaunchInput>()
  const problems = new Map<string, string>()
  for (const value of values) {
    const id = z.object({ id: z.string() }).safeParse(value).data?.id
    const input = inputSchema.safeParse(value).data
    const { type } = z.object({ type: z.string() }).safeParse(value).data ?? { type: '' }
    if (input) valid.set(input.id, input)
    else if (id !== undefined)
      problems.set(
        id,
        type === 'command'
          ? `The input "${id}" runs a VS Code command, which is not available in Tizona. Use promptString or pickString.`
          : `The input "${id}" is not valid. It needs "type": "promptString", or "pickString" with "options".`,
      )
  }
  return { valid, problems }
}

const text = (description: string): object => ({ type: 'string', description })
const strings = (description: string): object => ({ type: 'array', items: { type: 'string' }, description })
const oneOrMore = (description: string): object => ({
  anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
  description,
})
const flag = (description: string): object => ({ type: 'boolean', description })
const variables = `Variables: ${variableNames.map((name) => `\${${name}}`).join(', ')}, \${env:NAME}, \${input:ID}.`

const common: Readonly<Record<string, object>> = {
  name: text('Name shown in the Run view.'),
  request: { enum: ['launch', 'attach'], description: 'Starts a program, or attaches to a running one.' },
  program: text(`Path of the program. ${variables}`),
  args: oneOrMore('Arguments of the program, as a list or as one command line.'),
  cwd: text('Working directory. Default: the workspace folder.'),
  env: {
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    description: 'Environment variables. Null removes a variable of envFile.',
  },
  envFile: oneOrMore('File in the workspace with environment variables, as NAME=value lines.'),
  stopOnEntry: flag('Whether to stop at the first line.'),
  preLaunchTask: text('Task to run first: a label from tasks.json, or "npm: script". If it fails, nothing is started.'),
  postDebugTask: text('Task to run after the session.'),
  ...Object.fromEntries(
    platformNames.map((name) => [name, { type: 'object', description: `Attributes that apply only on ${name}.` }]),
  ),
}

const inputsJsonSchema = {
  type: 'array',
  description: 'Values to ask for, used as ${input:ID}.',
  items: {
    type: 'object',
    required: ['id', 'type'],
    properties: {
      id: text('Name in ${input:ID}.'),
      type: { enum: ['promptString', 'pickString'] },
      description: text('Text of the prompt.'),
      default: text('Default value.'),
      password: flag('Whether to hide the value.'),
      options: {
        type: 'array',
        description: 'Values to pick from.',
        items: {
          anyOf: [
            { type: 'string' },
            {
              type: 'object',
              required: ['label', 'value'],
              properties: { label: { type: 'string' }, value: { type: 'string' } },
            },
          ],
        },
      },
    },
  },
}

/** Creates the JSON schema of launch.json from the table of debuggers, for completion and checks in the editor. */
export function launchJsonSchema(debuggers: readonly DebuggerDefinition[] = debuggerTable): object {
  return {
    type: 'object',
    properties: {
      version: { enum: ['0.2.0'] },
      configurations: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'type', 'request'],
          properties: {
            ...common,
            type: {
              enum: debuggers.flatMap(({ types }) => types),
              enumDescriptions: debuggers.flatMap(({ types, title, languages }) =>
                types.map(() => `${title}: ${languages.join(', ')}`),
              ),
              description: 'Debugger to use.',
            },
          },
          defaultSnippets: debuggers.map(({ types, title }) => ({
            label: `${title}: launch`,
            body: {
              name: title,
              type: types[0],
              request: 'launch',
              // After `^`, the text of the snippet, in which a backslash keeps `$` from starting a placeholder.
              program: String.raw`^"\${workspaceFolder}/$1"`,
            },
          })),
          allOf: debuggers.map(({ types, attributes = {} }) => ({
            if: { required: ['type'], properties: { type: { enum: types } } },
            // oxlint-disable-next-line unicorn/no-thenable -- A keyword of JSON schemas.
            then: { properties: attributes },
          })),
        },
      },
      compounds: {
        type: 'array',
        description: 'Configurations that start together.',
        items: {
          type: 'object',
          required: ['name', 'configurations'],
          properties: {
            name: text('Name shown in the Run view.'),
            configurations: strings('Names of the configurations to start.'),
            stopAll: flag('Whether to stop all sessions when one ends.'),
            preLaunchTask: text('Task to run first.'),
          },
        },
      },
      inputs: inputsJsonSchema,
    },
  }
}
