import { useConfirm } from '../platform/confirm.ts'
import { Button, Dialog } from '../ui/index.ts'

const maxItems = 8

/** Dialog that `confirm()` opens. */
export function ConfirmDialog() {
  const pending = useConfirm((state) => state.pending)
  if (!pending) return null
  const { request, answer } = pending
  const items = request.items ?? []
  // Enter must not trigger a destructive choice.
  const dangerous = request.choices.at(-1)?.variant === 'danger'
  return (
    <Dialog
      title={request.title}
      width={440}
      onClose={() => answer(null)}
      footer={
        <>
          <Button data-autofocus={dangerous || undefined} onClick={() => answer(null)}>
            {request.cancel ?? 'Cancel'}
          </Button>
          {request.choices.map((choice, index) => (
            <Button
              key={choice.id}
              variant={choice.variant ?? 'default'}
              data-autofocus={(!dangerous && index === request.choices.length - 1) || undefined}
              onClick={() => answer(choice.id)}
            >
              {choice.label}
            </Button>
          ))}
        </>
      }
    >
      <p>{request.message}</p>
      {items.length > 0 && (
        <ul className="confirm-items">
          {items.slice(0, maxItems).map((item) => (
            <li key={item}>{item}</li>
          ))}
          {items.length > maxItems && <li>and {items.length - maxItems} more</li>}
        </ul>
      )}
    </Dialog>
  )
}
