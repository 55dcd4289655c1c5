import { isOutsideFile } from '../../shared/files/outsideFiles.ts'
import { toFailure } from '../../shared/errors.ts'
import type { Settings } from '../../shared/settings/settings.ts'
import type { Emit } from '../agent/conversation/transcript.ts'
import { createCompletionFigures, type CompletionFiguresStore } from '../completion/completionFigures.ts'
import { createCompletions, type Completions } from '../completion/completions.ts'
import { nearProblems } from '../completion/nearProblems.ts'
import { createNextEdits, type NextEdits } from '../completion/nextEdits.ts'
import { definitionsFor } from '../inlineEdit/definitions.ts'
import { ModelError } from '../model/modelClient.ts'
import type { Endpoints } from '../model/endpoints/endpoints.ts'
import { createFimClient, type FimClient } from '../model/fim/fimClient.ts'
import { predictEdit } from '../model/fim/nextEditFormats.ts'
import { createRepetitionDetector } from '../agent/guards/answerRepetition.ts'
import { guidedLines } from '../agent/guided/changeLine.ts'
import { createInlineEdits, type InlineEdits } from '../inlineEdit/inlineEdits.ts'
import { instructionsForFile } from '../instructions/instructions.ts'
import { restoreControlTokens, splitControlTokens } from '../model/clients/controlTokens.ts'
import type { ModelChoice } from '../../shared/agent/conversation.ts'
import type { ToolServices } from '../tools/common/toolDefinition.ts'
import { refuseSecret } from '../tools/secretGuard.ts'
import type { WorkspaceSession } from '../workspaceServices/workspaceSession.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { UserData } from '../appServices/userData.ts'
import type { WorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'

interface InlineCompletionDeps {
  data: Pick<UserData, 'settings' | 'completionFigures'>
  endpoints: Pick<Endpoints, 'suggestionAccess' | 'onForgotten'>
  places(): PlaceRules
  workspaces: Pick<WorkspaceSwitcher, 'session' | 'current'>
  emit: Emit
  warn(message: string): void
}

export interface InlineCompletion {
  completions: Completions
  nextEdits: NextEdits
  client: FimClient
  figures: CompletionFiguresStore
  /** Cancels all requests and clears the cached code of the folder. */
  stop(): Promise<void>
  /** Aborts the detection of formats and saves the statistics. */
  close(): Promise<void>
}

/** Creates inline completion and connects it to the open folder, the settings and the window. */
export function createInlineCompletion(deps: InlineCompletionDeps): InlineCompletion {
  const { data, endpoints, places, workspaces, emit, warn } = deps
  const client = createFimClient({ access: endpoints.suggestionAccess })
  const unsubscribe = endpoints.onForgotten(client.forget)
  const figures = createCompletionFigures(data.completionFigures, (error) =>
    warn(`The statistics of inline completion could not be saved. ${toFailure(error).message}`),
  )
  // Models see no file outside the folder, not even one that the user opened.
  const isReadable = (path: string): boolean => !isOutsideFile(path) && places().secret(path) === undefined
  const shared = {
    settings: () => data.settings.get().completion,
    async isAllowed(path: string) {
      const session = workspaces.session()
      if (!session || isOutsideFile(path)) return false
      return isReadable((await session.workspace.resolve(path, { missing: 'allow' })).relative)
    },
    isReadable,
    onFailed(error: unknown) {
      const { message, next } = modelFailure(error)
      emit('completion.problem', { problem: message })
      warn(`Inline completion failed. ${message} ${next}`.trim())
    },
    onRecovered: () => emit('completion.problem', { problem: null }),
  }
  const completions = createCompletions({
    ...shared,
    client,
    definitions: ({ path, line, lines }, signal) =>
      definitionsFor({ path, line, selection: lines }, { code: workspaces.current().code, isReadable }, signal),
    problemsNear: (path, line) => nearProblems(workspaces.session()?.languages.problems(path).problems ?? [], line),
    counter: figures,
  })
  const nextEdits = createNextEdits({
    ...shared,
    predict: (choice, params, signal) => predictEdit(client, choice, params, signal),
  })
  const reset = (): void => {
    completions.reset()
    nextEdits.reset()
  }
  data.settings.onChanged(whenChanged(data.settings.get().completion, reset))
  return {
    completions,
    nextEdits,
    client,
    figures,
    async stop() {
      await Promise.all([completions.stop(), nextEdits.stop()])
      reset()
    },
    async close() {
      unsubscribe()
      client.close()
      await figures.flush()
    },
  }
}

/**
 * Returns a settings listener that calls `changed` when the settings of inline completion differ from the last ones.
 */
function whenChanged(first: Settings['completion'], changed: () => void): (settings: Settings) => void {
  let last = JSON.stringify(first)
  return ({ completion }) => {
    const next = JSON.stringify(completion)
    if (next === last) return
    last = next
    changed()
  }
}

function modelFailure(error: unknown): { message: string; next: string } {
  return error instanceof ModelError ? { message: error.message, next: error.hint } : toFailure(error)
}

interface InlineEditingDeps {
  settings(): Settings
  endpoints: Pick<Endpoints, 'model'>
  places(): PlaceRules
  current(): Pick<WorkspaceSession, 'instructions'>
  services(): ToolServices
  /** Returns a conversation's model, or the default one. @throws ToolError if there is none */
  modelOf(conversationId: string | undefined): ModelChoice
  emit: Emit
}

/** Creates inline edits and connects them to the open folder, the settings and the window. */
export function createInlineEditing(deps: InlineEditingDeps): InlineEdits {
  const { settings, endpoints, places, current, services, modelOf, emit } = deps
  return createInlineEdits({
    choice: modelOf,
    model: endpoints.model,
    temperature: () => settings().temperature,
    splitControlTokens,
    restoreControlTokens,
    checkPath: (path) => refuseSecret(services().workspace, places().secret, path),
    definitions: (edit, signal) =>
      definitionsFor(
        edit,
        { code: services().code, isReadable: (path) => places().secret(path) === undefined },
        signal,
      ),
    instructions: (path, room, signal) => instructionsForFile(current().instructions, path, room, signal),
    newSyntaxErrors: async (path, texts, signal) =>
      (await services().code.newSyntaxErrors([{ path, ...texts }], signal)).length > 0,
    watchRepetition() {
      const detector = createRepetitionDetector()
      return (piece) => detector.push(piece) !== undefined
    },
    guidedLines: (choice, edit, signal) => guidedLines(endpoints.model, choice, edit, signal),
    onProgress: (id, progress) => emit('inlineEdit.progress', { id, progress }),
  })
}
