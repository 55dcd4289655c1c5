import { profileTexts } from '../../agent/profileTexts.ts'
import { profileChoices } from '../../agent/promptProfile.ts'
import { optionTexts, type SettingDeclaration } from './settingDeclaration.ts'

export const modelSettings = {
  endpoints: {
    group: 'models',
    title: 'Endpoints',
    description: 'Model servers.',
    type: 'structured',
    valueText: 'list of endpoints, see below',
    editor: 'endpoints',
    default: [],
  },
  model: {
    group: 'agent',
    title: 'Model',
    description: 'Model for new conversations. Select it below the message field.',
    type: 'structured',
    valueText: 'object: `endpointId`, `model`',
    editor: 'none',
  },
  temperature: {
    group: 'agent',
    title: 'Temperature',
    description: 'From 0 to 2. Lower values give more predictable answers.',
    type: 'number',
    min: 0,
    max: 2,
    step: 0.1,
    default: 0.2,
  },
  profile: {
    group: 'agent',
    title: 'Prompt profile',
    description: 'How much of the context window instructions and tools can use.',
    type: 'choice',
    options: profileChoices,
    texts: optionTexts(profileChoices, (choice) => profileTexts[choice]),
    default: 'auto',
  },
  compactAt: {
    group: 'agent',
    title: 'Summarize at (%)',
    description: 'Older messages are summarized when the conversation fills this share of the context window.',
    type: 'number',
    min: 0.3,
    max: 0.95,
    step: 0.01,
    default: 0.8,
    percent: true,
  },
  smallModel: {
    group: 'agent',
    title: 'Small model',
    description: 'Writes titles and summaries instead of the main model. A model with 1B to 4B parameters is enough.',
    type: 'structured',
    valueText: 'object: `endpointId`, `model`; or `null`',
    editor: 'smallModel',
    default: null,
  },
  warmUp: {
    group: 'agent',
    title: 'Prepare the model',
    description:
      'When a new conversation opens, the model server processes instructions and tools in the background, so that the first answer starts sooner.',
    type: 'choice',
    options: ['local', 'always', 'off'],
    texts: {
      local: { label: 'On this machine' },
      always: {
        label: 'On every server',
        detail: 'Including remote servers, which may charge for it.',
      },
      off: { label: 'Off' },
    },
    default: 'local',
  },
  subAgentModel: {
    group: 'agent',
    title: 'Sub-agent model',
    description:
      "Runs investigations and tasks that the model delegates, instead of the conversation's model. A model on another server leaves the conversation's prompt in its server's cache.",
    type: 'structured',
    valueText: 'object: `endpointId`, `model`; or `null`',
    editor: 'subAgentModel',
    default: null,
  },
  embeddings: {
    group: 'agent',
    title: 'Embedding model',
    description:
      'Ranks the results of an investigation by meaning, not only by words. The passages found are sent to this model; secret files are not.',
    type: 'structured',
    valueText: 'object: `endpointId`, `model`; or `null`',
    editor: 'embeddingModel',
    default: null,
  },
} as const satisfies Record<string, SettingDeclaration>
