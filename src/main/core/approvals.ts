import type { ApprovalRequest } from '../../shared/tools/approval.ts'
import { approvalNotification } from '../../shared/tools/approvalNotification.ts'
import type { Agent } from '../agent/agent.ts'
import type { EventHub } from '../appServices/eventHub.ts'
import type { Platform } from '../appServices/platform.ts'
import type { UserData } from '../appServices/userData.ts'
import { createGate } from '../approval/gate.ts'
import { observeGate } from '../approval/observedGate.ts'
import { createOutsideContent } from '../approval/outsideContent.ts'
import type { PlaceRules } from '../approval/placeRules.ts'
import type { HookRecord } from '../hooks/hooks.ts'
import { openAuditLog } from '../audit/auditLog.ts'
import { createWorkspaceExaminer } from '../workspaceServices/workspaceExaminer.ts'
import type { WorkspaceSwitcher } from '../workspaceServices/workspaceSwitcher.ts'

interface ApprovalsDeps {
  platform: Pick<Platform, 'userData' | 'notifyInBackground'>
  settings: UserData['settings']
  events: Pick<EventHub, 'emit' | 'warn' | 'subscribe'>
  places(): PlaceRules
  workspaces: Pick<WorkspaceSwitcher, 'session' | 'current'>
  /** Shows approval requests in conversations. Created later, because it uses the gate. */
  agent(): Pick<Agent, 'approvalRequested' | 'approvalResolved'>
}

/** Creates the service that decides whether calls may run and records the decisions. */
export function createApprovals({ platform, settings, events, places, workspaces, agent }: ApprovalsDeps) {
  const { emit, warn } = events
  const { session, current } = workspaces
  const outside = createOutsideContent()
  const audit = openAuditLog(platform.userData, { onProblem: warn })
  const examine = createWorkspaceExaminer({
    settings: settings.get,
    rulesProblem: settings.rulesProblem,
    places,
    workspace: () => current().workspace,
    isTrusted: () => current().trust.allowsCommands(),
  })
  const notifications = createApprovalNotifications({
    notify: platform.notifyInBackground,
    enabled: () => settings.get().approval.notify,
    showCard: (requestId) => emit('command', { id: 'approval.focus', argument: requestId }),
  })
  const gate = observeGate({
    gate: createGate({
      examine,
      places,
      rulesProblem: settings.rulesProblem,
      onRequested(request) {
        agent().approvalRequested(request)
        emit('approval.requested', request)
        notifications.requested(request)
      },
      onResolved(requestId) {
        agent().approvalResolved(requestId)
        emit('approval.resolved', { requestId })
        notifications.resolved(requestId)
      },
    }),
    outside,
    record: audit.record,
    workspace: () => session()?.workspace.root,
  })
  events.subscribe((name, payload) => {
    if (name === 'conversation.turnEnded' && payload !== null && 'outcome' in payload)
      outside.turnEnded(payload.conversationId)
  })
  return {
    outside,
    audit,
    examine,
    gate,
    /** Records a run of a hook of the folder. */
    recordHook(
      { event, command, source, verdict, reason, ran, caller, callId, conversationId }: HookRecord,
      workspace: string,
    ): void {
      audit.record({
        at: Date.now(),
        verdict,
        by: 'hook',
        tool: event,
        risk: 'execute',
        ...caller,
        callId: callId ?? '',
        workspace,
        command,
        source,
        ...(ran && { sandbox: { sandboxed: true, network: false } }),
        ...(conversationId !== undefined && { conversationId }),
        ...(reason !== '' && { reason }),
      })
    },
  }
}

interface ApprovalNotificationDeps {
  notify: Platform['notifyInBackground']
  enabled(): boolean
  /** Shows the card of a pending approval. */
  showCard(requestId: string): void
}

/** System notifications about calls that require approval. Closed when the user decides. */
function createApprovalNotifications({ notify, enabled, showCard }: ApprovalNotificationDeps) {
  const closing = new Map<string, () => void>()
  return {
    requested(request: ApprovalRequest): void {
      if (notify === undefined || !enabled()) return
      closing.set(request.id, notify({ ...approvalNotification(request), onClick: () => showCard(request.id) }))
    },
    resolved(requestId: string): void {
      closing.get(requestId)?.()
      closing.delete(requestId)
    },
  }
}
