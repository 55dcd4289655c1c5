import { sandboxText, type CommandSandbox } from '../../../shared/commands/sandbox.ts'
import { visibleText } from '../../../shared/text/visibleText.ts'
import { Icon } from '../../ui/index.ts'

export function SandboxLine({ sandbox }: { sandbox: CommandSandbox }) {
  const tone = sandbox.sandboxed ? (sandbox.network ? 'network' : 'closed') : 'open'
  const icons = { closed: 'lock', network: 'globe', open: 'unlock' } as const
  return (
    <span className={`sandbox-line sandbox-line-${tone}`} data-testid="sandbox-line">
      <Icon name={icons[tone]} />
      {visibleText(sandboxText(sandbox))}
    </span>
  )
}
